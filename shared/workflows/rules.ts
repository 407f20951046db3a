// What the workflows of this app ask of an order's content, by name.
import type { WorkflowRules } from "../domain/workflow-rules.ts";

export const workflowRules: WorkflowRules = {
  conditions: {},
  lists: {},
};
