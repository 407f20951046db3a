// Public entry `core/workflows`: for an app's author: declares workflows, and their conditions and lists on the content (P5).
export { type StepOf, type TypedWorkflow, workflowsOf } from "./app/define-workflow.ts";
export type {
  FailureBudget,
  RecoveryPolicy,
  StepCompensation,
  Transport,
  Workflow,
  WorkflowRef,
  WorkflowStep,
} from "./domain/definition/workflow.ts";
export { type Item, NO_RULES, type Situation, type WorkflowRules } from "./domain/workflows/workflow-rules.ts";
