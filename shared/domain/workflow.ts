// A workflow as data (P5): which steps, through which agents, in what order, within what time.
import { durationMs } from "./duration.ts";

export interface WorkflowRef {
  readonly name: string;
  readonly version: number;
}

export interface WorkflowStep {
  /** An identifier: it is a path in the store and part of the idempotency key. */
  readonly name: string;
  readonly agent: string;
  /** The steps that have to be completed first. */
  readonly after: readonly string[];
  /** ISO 8601: from the moment the step is marked Running. */
  readonly completeWithin: string;
}

export interface RecoveryPolicy {
  /** Attempts that may fail before the order is set to Error: 3 means three failed attempts. */
  readonly failureThreshold: number;
}

export interface Workflow extends WorkflowRef {
  readonly steps: readonly WorkflowStep[];
  readonly policy: RecoveryPolicy;
}

const STEP_NAME = /^[a-z][A-Za-z0-9]{0,49}$/;

/** The steps in the order in which they run. Expects a workflow that `workflowFaults` has passed. */
export function stepsInOrder(workflow: Workflow): readonly WorkflowStep[] {
  const ordered: WorkflowStep[] = [];
  const placed = new Set<string>();
  while (ordered.length < workflow.steps.length) {
    const ready = workflow.steps.find((step) => !placed.has(step.name) && step.after.every((name) => placed.has(name)));
    if (!ready) break;
    ordered.push(ready);
    placed.add(ready.name);
  }
  return ordered;
}

/** Everything that is wrong with a workflow, in words; empty when it can run. */
export function workflowFaults(workflow: Workflow, agents: readonly string[]): string[] {
  const where = `workflow ${workflow.name} v${workflow.version}`;
  const names = workflow.steps.map(({ name }) => name);
  const faults: string[] = [];
  if (names.length === 0) faults.push(`${where}: has no steps`);
  if (new Set(names).size < names.length) faults.push(`${where}: two steps have the same name`);
  if (!(workflow.policy.failureThreshold >= 1)) faults.push(`${where}: policy.failureThreshold must be at least 1`);
  for (const step of workflow.steps) {
    const at = `${where}, step ${step.name}`;
    if (!STEP_NAME.test(step.name)) faults.push(`${at}: the name must be an identifier such as reserveStock`);
    if (!agents.includes(step.agent)) faults.push(`${at}: no agent ${step.agent}; there are ${agents.join(", ")}`);
    if (durationMs(step.completeWithin) === undefined) {
      faults.push(`${at}: completeWithin ${step.completeWithin} is not an ISO 8601 duration such as PT30S`);
    }
    for (const name of step.after) {
      if (!names.includes(name)) faults.push(`${at}: comes after ${name}, which is no step`);
    }
  }
  if (faults.length === 0) faults.push(...orderFaults(workflow, where));
  return faults;
}

function orderFaults(workflow: Workflow, where: string): string[] {
  const ordered = stepsInOrder(workflow);
  if (ordered.length < workflow.steps.length) {
    const stuck = workflow.steps.filter((step) => !ordered.includes(step)).map(({ name }) => name);
    return [`${where}: steps ${stuck.join(", ")} wait for each other`];
  }
  const forks = ordered.filter((step, index) => step.after[0] !== ordered[index - 1]?.name || step.after.length > 1);
  return forks.map(({ name }) => `${where}, step ${name}: steps run one after the other; name the one step before it`);
}
