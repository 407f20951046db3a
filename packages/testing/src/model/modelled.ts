// An app's workflow as the model explores it: the structure is the app's, the times, thresholds and services are the model's.
import type {
  FailureBudget,
  RecoveryPolicy,
  Workflow,
  WorkflowRules,
  WorkflowStep,
} from "@scheduler-agent-supervisor/core/workflows";
import { itemsOf } from "./service.ts";
import { CONTENT, type Setting } from "./setting.ts";

/** As long as a tick of the model's clock, or two: it tells times apart by whether they are over, and by nothing else. */
const TIMES = { completeWithin: "PT30S", awaitWithin: "PT60S", wait: "PT30S" } as const;
/** The second failure is the last: a third would be as the second. */
const THRESHOLD = 2;

/** Longer than anything that the model counts: it passes where the model has it pass. */
const DEADLINE = "P366D";

export function modelled({ deadline, ...workflow }: Workflow): Workflow {
  return {
    ...workflow,
    ...(deadline && { deadline: { ...deadline, completeWithin: DEADLINE } }),
    name: CONTENT.workflow,
    policy: modelledPolicy(workflow.policy),
    steps: workflow.steps.map(modelledStep),
  };
}

function modelledPolicy<Policy extends Partial<RecoveryPolicy>>(policy: Policy): Policy {
  const { compensation } = policy;
  return { ...modelledBudget(policy), ...(compensation && { compensation: modelledBudget(compensation) }) };
}

function modelledBudget<Budget extends Partial<FailureBudget>>(budget: Budget): Budget {
  const { failureThreshold, waits } = budget;
  return {
    ...budget,
    ...(failureThreshold !== undefined && { failureThreshold: Math.min(failureThreshold, THRESHOLD) }),
    ...(waits && { waits: waits.slice(0, 1).map(() => TIMES.wait) }),
  };
}

function modelledStep({ assignee: _, ...step }: WorkflowStep): WorkflowStep {
  const { compensation, policy } = step;
  return {
    ...step,
    agent: "service",
    ...modelledTimes(step),
    ...(policy && { policy: modelledPolicy(policy) }),
    compensation: typeof compensation === "string" ? compensation : { ...compensation, ...modelledTimes(compensation) },
  };
}

function modelledTimes({ awaitWithin }: Pick<WorkflowStep, "awaitWithin">) {
  return {
    completeWithin: TIMES.completeWithin,
    ...(awaitWithin !== undefined && { awaitWithin: TIMES.awaitWithin }),
  };
}

export function conditionsOf({ steps }: Workflow): string[] {
  return [...new Set(steps.flatMap(({ when }) => when ?? []))];
}

/** @param items how many each list of the content has */
export function rulesOf(
  workflow: Workflow,
  conditions: { readonly [name: string]: boolean },
  items: number,
): WorkflowRules {
  const lists = workflow.steps.flatMap(({ forEach }) =>
    forEach === undefined || isOfResult(forEach) ? [] : [forEach],
  );
  return {
    conditions: Object.fromEntries(conditionsOf(workflow).map((name) => [name, () => conditions[name] ?? true])),
    lists: Object.fromEntries(lists.map((name) => [name, () => itemsOf(items)])),
  };
}

/** The lists in the results of steps, for whose items later steps run. */
export function listedBy({ steps }: Workflow, items: number): NonNullable<Setting["listed"]> {
  const listed: { [step: string]: { [member: string]: readonly object[] } } = {};
  for (const { forEach } of steps) {
    const [step = "", member] = forEach?.split(".") ?? [];
    if (member !== undefined) listed[step] = { ...listed[step], [member]: itemsOf(items) };
  }
  return listed;
}

/** As `step.member`. */
const isOfResult = (forEach: string) => forEach.includes(".");

/** The step, or its compensation. */
export function isDoneLater({ awaitWithin, compensation }: WorkflowStep): boolean {
  return awaitWithin !== undefined || (typeof compensation !== "string" && compensation.awaitWithin !== undefined);
}

/** What the workflow has and no state shows, as text. @param polled steps */
export function notModelledIn({ steps }: Workflow, polled: readonly string[]): string[] {
  const named = (words: string, has: (step: WorkflowStep) => boolean) => {
    const names = steps.filter(has).map(({ name }) => name);
    return names.length > 0 ? [`${words}: ${names.join(", ")}`] : [];
  };
  return [
    ...named("reminders of assignees", ({ assignee }) => assignee !== undefined),
    ...named("polls (services report what they do later)", (step) => isDoneLater(step) && !polled.includes(step.name)),
  ];
}
