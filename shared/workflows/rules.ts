// What the workflows of this app ask of an order's content, by name.
import { orderTotal } from "../domain/order.ts";
import type { WorkflowRules } from "../domain/workflow-rules.ts";

/** In the currency's smallest unit. */
const EXPENSIVE = 500_000;

export const workflowRules: WorkflowRules = {
  conditions: {
    isExpensive: ({ order }) => orderTotal(order) > EXPENSIVE,
  },
  lists: {
    lines: ({ lines }) => lines.map(({ sku, quantity }) => ({ sku, quantity })),
  },
};
