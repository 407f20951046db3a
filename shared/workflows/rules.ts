// What the workflows of this app ask of an order's content, by name.
import type { Situation, WorkflowRules } from "@scheduler-agent-supervisor/core/workflows";
import { goods, type Order, orderTotal } from "../contracts/order.ts";

/** In the currency's smallest unit. */
const EXPENSIVE = 500_000;

export const workflowRules = {
  conditions: {
    isExpensive: ({ job: order }: Situation<Order>) => orderTotal(order) > EXPENSIVE,
  },
  lists: {
    lines: ({ lines }: Order) => goods(lines),
  },
} as const satisfies WorkflowRules;
