// What the workflows of this app ask of an order's content, by name.
import { orderTotal } from "@scheduler-agent-supervisor/core/domain/order";
import type { WorkflowRules } from "@scheduler-agent-supervisor/core/domain/workflow-rules";

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
