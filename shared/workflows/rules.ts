// What the workflows of this app ask of an order's content, by name.

import { defineRules } from "@scheduler-agent-supervisor/core/domain/workflow-rules";
import { type Order, orderTotal } from "../contracts/order.ts";

/** In the currency's smallest unit. */
const EXPENSIVE = 500_000;

export const workflowRules = defineRules<Order>({
  conditions: {
    isExpensive: ({ order }) => orderTotal(order) > EXPENSIVE,
  },
  lists: {
    lines: ({ lines }) => lines.map(({ sku, quantity }) => ({ sku, quantity })),
  },
});
