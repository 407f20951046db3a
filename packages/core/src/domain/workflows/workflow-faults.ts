// All faults of a workflow, as text (P5): checked at start, all at once.

import {
  type FailureBudget,
  type HostTimeout,
  type KnownAgents,
  type KnownRules,
  LONGEST_STEP_MS,
  LONGEST_WAIT_MS,
  levelsOf,
  longestActivityMs,
  policyFor,
  type RecoveryPolicy,
  START_WITHIN_MS,
  USUAL_TIMEOUT,
  type Workflow,
  type WorkflowStep,
} from "../definition/workflow.ts";
import { durationMs } from "../duration.ts";
import { deadlineFaults } from "../record/deadline.ts";
import { MOST_RUNS } from "../record/record-limits.ts";
import { outputFaults } from "../steps/outputs.ts";
import { shapeFaults } from "./shape-faults.ts";

/** Short enough for message ids, which have a job id and more before it: Service Bus allows 128 characters. */
const STEP_NAME = /^[a-z][A-Za-z0-9]{0,24}$/;

const NO_RULES: KnownRules = { conditions: [], lists: [] };

/** All faults of a workflow, as text; empty if it can run. */
export function workflowFaults(
  workflow: Workflow,
  agents: KnownAgents,
  rules: KnownRules = NO_RULES,
  startWithinMs = START_WITHIN_MS,
  timeout: HostTimeout = USUAL_TIMEOUT,
): string[] {
  const where = `workflow ${workflow.name} v${workflow.version}`;
  const names = workflow.steps.map(({ name }) => name);
  const faults = [...wholePolicyFaults(workflow.policy, where), ...outputFaults(workflow, where)];
  faults.push(...deadlineFaults(workflow, where));
  const { cancelUntil } = workflow;
  if (cancelUntil !== undefined && !names.includes(cancelUntil)) {
    faults.push(`${where}: cancelUntil ${cancelUntil} is no step`);
  }
  if (names.length === 0) faults.push(`${where}: has no steps`);
  if (names.length > MOST_RUNS) {
    faults.push(`${where}: has ${names.length} steps, and a job's record has room for ${MOST_RUNS}`);
  }
  if (new Set(names).size < names.length) faults.push(`${where}: two steps have the same name`);
  for (const step of workflow.steps) {
    const at = `${where}, step ${step.name}`;
    if (!STEP_NAME.test(step.name))
      faults.push(`${at}: the name must be an identifier such as reserveStock, of at most 25 letters and digits`);
    faults.push(...operationFaults(step.agent, step.operation, agents, at), ...transportFaults(step, agents, at));
    faults.push(...timeFaults(step.completeWithin, at), ...waitFaults(step.awaitWithin, at));
    faults.push(...startFaults(step, agents, startWithinMs, timeout, at), ...assigneeFaults(step, at));
    faults.push(...unknownFaults(step, workflow, agents, at));
    faults.push(...compensationFaults(step, agents, at), ...shapeFaults(step, workflow, rules, at));
    if (step.policy) faults.push(...policyFaults(step.policy, at), ...uselessPolicyFaults(step, at));
    for (const name of step.after) {
      if (!names.includes(name)) faults.push(`${at}: comes after ${name}, which is no step`);
    }
  }
  if (faults.length === 0) faults.push(...graphFaults(workflow, where));
  return faults;
}

function wholePolicyFaults(policy: RecoveryPolicy, where: string): string[] {
  // A workflow that was written without types may not have it.
  const failureThreshold = (policy.failureThreshold as number | undefined) ?? Number.NaN;
  return policyFaults({ ...policy, failureThreshold }, where);
}

/** What is absent of a step's policy is the workflow's. */
function policyFaults(policy: Partial<RecoveryPolicy>, where: string): string[] {
  const { compensation } = policy;
  return [
    ...budgetFaults(policy, `${where}: policy`),
    ...waitPolicyFaults(policy, `${where}: policy`),
    ...(compensation === undefined ? [] : compensationPolicyFaults(compensation, `${where}: policy.compensation`)),
  ];
}

function budgetFaults({ failureThreshold, waits }: Partial<FailureBudget>, where: string): string[] {
  const faults: string[] = [];
  if (failureThreshold !== undefined && !isCount(failureThreshold)) {
    faults.push(`${where}.failureThreshold must be a whole number of at least 1`);
  }
  for (const wait of waits ?? []) {
    if (durationMs(wait) === undefined) faults.push(`${where}.waits: ${wait} is not an ISO 8601 duration`);
  }
  return faults;
}

const ON_AWAIT_EXPIRED = ["retry", "fail", "compensate"];

const ON_UNKNOWN = ["fail", "compensate"];

function waitPolicyFaults({ onAwaitExpired, onUnknown }: Partial<RecoveryPolicy>, where: string): string[] {
  const named = [
    ["onAwaitExpired", onAwaitExpired, ON_AWAIT_EXPIRED],
    ["onUnknown", onUnknown, ON_UNKNOWN],
  ] as const;
  return named.flatMap(([name, value, values]) =>
    value === undefined || values.includes(value)
      ? []
      : [`${where}.${name} must be "${values.join('" or "')}", or absent`],
  );
}

/** Its service was seen to do it although its compensation came first: no compensation settles what is not known. */
function unknownFaults(step: WorkflowStep, workflow: Workflow, agents: KnownAgents, at: string): string[] {
  const { name, agent, operation, compensation } = step;
  const isSettled = !agents.get(agent)?.doneAfterCompensation?.includes(operation);
  if (isSettled || typeof compensation !== "object" || policyFor(workflow, name).onUnknown === "fail") return [];
  return [
    `${at}: the service of ${agent} does ${operation} although its compensation came first (npm run services:check): say onUnknown: "fail" in its policy, so that a person says what came of it, or declare find in the agent's policy`,
  ];
}

const isCount = (value: number) => Number.isInteger(value) && value >= 1;

const BUDGET = ["failureThreshold", "waits"];

/** A workflow that was written without types may say more of it, as of a step's own policy. */
function compensationPolicyFaults(compensation: Partial<FailureBudget>, where: string): string[] {
  const strange = Object.keys(compensation).filter((member) => !BUDGET.includes(member));
  return [
    ...budgetFaults(compensation, where),
    ...strange.map(
      (member) =>
        `${where}.${member}: it may have ${BUDGET.join(", ")}; a compensation whose budget is used up is left to an operator`,
    ),
  ];
}

/** A step's own policy for what the step never does. */
function uselessPolicyFaults({ policy = {}, compensation, awaitWithin }: WorkflowStep, at: string): string[] {
  const faults: string[] = [];
  if (policy.compensation !== undefined && typeof compensation === "string") {
    faults.push(`${at}: policy.compensation: the step's compensation is "${compensation}", so there is nothing to try`);
  }
  if (policy.onAwaitExpired !== undefined && awaitWithin === undefined) {
    faults.push(`${at}: policy.onAwaitExpired: the step has no awaitWithin, so it waits for no report`);
  }
  return faults;
}

function operationFaults(agent: string, operation: string, agents: KnownAgents, at: string): string[] {
  const known = agents.get(agent);
  if (!known) return [`${at}: no agent ${agent}; there are ${[...agents.keys()].join(", ")}`];
  if (known.operations.includes(operation)) return [];
  return [`${at}: agent ${agent} has no operation ${operation}; it has ${known.operations.join(", ")}`];
}

function transportFaults({ agent, transport = "activity" }: WorkflowStep, agents: KnownAgents, at: string): string[] {
  const transports = agents.get(agent)?.transports ?? [transport];
  if (transports.includes(transport)) return [];
  return [
    `${at}: agent ${agent} can't be reached as ${transport}; it can by transport: "${transports.join('" or "')}"`,
  ];
}

function timeFaults(completeWithin: string, at: string): string[] {
  const ms = durationMs(completeWithin);
  if (ms === undefined) return [`${at}: completeWithin ${completeWithin} is not an ISO 8601 duration such as PT30S`];
  if (ms <= LONGEST_STEP_MS) return [];
  return [`${at}: completeWithin ${completeWithin} does not fit into the functions' timeout: at most PT4M`];
}

/** Another team's agent has no functions' timeout. */
function startFaults(
  { agent, completeWithin, compensation }: WorkflowStep,
  agents: KnownAgents,
  startMs: number,
  timeout: HostTimeout,
  at: string,
): string[] {
  if (!agents.get(agent)?.transports.includes("activity")) return [];
  const own = typeof compensation === "object" ? compensation.completeWithin : undefined;
  const runMs = Math.max(...[completeWithin, own].map((time) => durationMs(time ?? "") ?? 0));
  const longestMs = longestActivityMs(timeout);
  if (startMs + runMs <= longestMs) return [];
  const most =
    runMs < longestMs
      ? `at most ${(longestMs - runMs) / 1000} s beside ${runMs / 1000} s for the step`
      : `the step alone has ${runMs / 1000} s of at most ${longestMs / 1000} s: shorten completeWithin, of its compensation too`;
  return [
    `${at}: the setting StartWithin, ${startMs / 1000} s, does not fit into the functions' timeout, in which its agent also waits for a place: ${most}, or raise ${timeout.from}`,
  ];
}

function waitFaults(awaitWithin: string | undefined, at: string): string[] {
  if (awaitWithin === undefined) return [];
  const ms = durationMs(awaitWithin);
  if (ms === undefined) return [`${at}: awaitWithin ${awaitWithin} is not an ISO 8601 duration such as PT10M`];
  return ms <= LONGEST_WAIT_MS
    ? []
    : [`${at}: awaitWithin ${awaitWithin} is longer than a step may wait: at most P30D`];
}

/** Long enough for a mail address. */
const LONGEST_ASSIGNEE = 200;

/** A workflow that was written without types may have anything there. */
function assigneeFaults({ assignee, awaitWithin, compensation }: WorkflowStep, at: string): string[] {
  if (assignee === undefined) return [];
  const isAwaited =
    awaitWithin !== undefined || (typeof compensation === "object" && compensation.awaitWithin !== undefined);
  const faults = isAwaited ? [] : [`${at}: assignee: the step has no awaitWithin, so it waits for nobody`];
  if (typeof assignee !== "string" || assignee.trim() === "" || assignee.length > LONGEST_ASSIGNEE)
    faults.push(`${at}: assignee must be a text such as underwriters, of at most ${LONGEST_ASSIGNEE} characters`);
  return faults;
}

function compensationFaults({ agent, compensation }: WorkflowStep, agents: KnownAgents, at: string): string[] {
  // A workflow that was written without types may not have it.
  if (compensation === undefined)
    return [`${at}: compensation is missing: name an operation, or say "nothing" or "manual"`];
  if (typeof compensation === "string") return [];
  const faults = operationFaults(agent, compensation.operation, agents, `${at}, compensation`);
  return [
    ...faults,
    ...timeFaults(compensation.completeWithin, `${at}, compensation`),
    ...waitFaults(compensation.awaitWithin, `${at}, compensation`),
  ];
}

function graphFaults(workflow: Workflow, where: string): string[] {
  const levels = levelsOf(workflow);
  const stuck = workflow.steps.filter((step) => !levels.flat().includes(step)).map(({ name }) => name);
  if (stuck.length > 0) return [`${where}: steps ${stuck.join(", ")} wait for each other`];
  return [];
}
