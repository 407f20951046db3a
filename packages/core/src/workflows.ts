// Public entry `core/workflows`: what declares workflows, and what they ask of the content (P5).
export { type StepOf, type TypedWorkflow, workflowsOf } from "./app/define-workflow.ts";
export type {
  RecoveryPolicy,
  StepCompensation,
  Transport,
  Workflow,
  WorkflowRef,
  WorkflowStep,
} from "./domain/workflow.ts";
export { type Item, NO_RULES, type Situation, type WorkflowRules } from "./domain/workflow-rules.ts";
