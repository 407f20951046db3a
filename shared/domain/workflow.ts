// A workflow as data (P5): which steps, through which agents, in what order, within what time, and how each is undone.
import { durationMs } from "./duration.ts";
import { outputFaults } from "./outputs.ts";

export interface WorkflowRef {
  readonly name: string;
  readonly version: number;
}

export type StepUndo =
  | { readonly operation: string; readonly completeWithin: string; readonly awaitWithin?: string }
  /** The step leaves nothing behind. */
  | "nothing"
  /** Only a person can undo it: an undone order then says so. */
  | "byHand";

/** How a step reaches its agent (P7): as an activity of this app, or by a message on the agent's own request queue. */
export type Transport = "activity" | "queue";

export interface WorkflowStep {
  /** An identifier: it is a path in the store and part of the idempotency key. */
  readonly name: string;
  readonly agent: string;
  readonly operation: string;
  /** Absent: an activity. The step's undo goes the same way. */
  readonly transport?: Transport;
  /** The steps that have to be completed first. Steps that don't wait for each other run side by side. */
  readonly after: readonly string[];
  /** ISO 8601: how long its agent has, from the moment it takes the step up. */
  readonly completeWithin: string;
  /**
   * ISO 8601, at most 30 days: how long the step may wait for its completion once the agent's service has accepted it, and will report later what
   * came of it. Absent: the agent's operation may not answer `accepted`.
   */
  readonly awaitWithin?: string;
  /** ISO 8601: how long the step may wait for its agent before it may be scheduled again. The setting `StartWithin` if absent. */
  readonly startWithin?: string;
  readonly undo: StepUndo;
  /** What of the workflow's policy is different while this step is the one that expired. */
  readonly policy?: Partial<RecoveryPolicy>;
}

export interface RecoveryPolicy {
  /** Attempts of one step that may fail before the order is given up, waited with or undone: 3 means three failed attempts. */
  readonly failureThreshold: number;
  /** Attempts of all steps together that may fail, whatever each has left. No limit if absent. */
  readonly mostFailures?: number;
  /** At the threshold: pauses before each further attempt, ISO 8601; they should grow. */
  readonly waits: readonly string[];
  /** When the threshold is reached and all waits are used up. */
  readonly onExhausted: "fail" | "undo";
  /** When an agent knows a fault to be permanent. */
  readonly onRejected: "fail" | "undo";
}

export interface Workflow extends WorkflowRef {
  readonly steps: readonly WorkflowStep[];
  readonly policy: RecoveryPolicy;
  /**
   * What its requester gets of the steps' results: a name for each, and where it stands, as `arrangeShipping.shipmentId`. They change
   * nothing that is done, so an edit needs no new version.
   */
  readonly outputs?: { readonly [name: string]: string };
  /** From when this step is scheduled its requester can't cancel the order any more. Until it is Processed if absent. */
  readonly cancelUntil?: string;
}

/** What a workflow may ask of an agent, and how it can be reached. */
export interface AgentFacts {
  readonly operations: readonly string[];
  readonly transports: readonly Transport[];
}

/** Every agent that there is, by name. */
export type KnownAgents = ReadonlyMap<string, AgentFacts>;

/** Short enough for message ids, which have an order id and more before it: Service Bus takes 128 characters. */
const STEP_NAME = /^[a-z][A-Za-z0-9]{0,24}$/;
/** An activity must end before the host's functionTimeout does (host.json: 5 minutes). */
export const LONGEST_STEP_MS = 4 * 60_000;
export const LONGEST_WAIT_MS = 30 * 86_400_000;
/** Generous: an engine with a backlog, or an instance that starts, is no fault of the step's. The app's settings may say otherwise. */
export const START_WITHIN = "PT30S";

/** The steps by level: each waits only for steps of levels before its own. */
export function levelsOf(workflow: Workflow): readonly (readonly WorkflowStep[])[] {
  const levels: WorkflowStep[][] = [];
  const placed = new Set<string>();
  while (placed.size < workflow.steps.length) {
    const level = workflow.steps.filter(
      ({ name, after }) => !placed.has(name) && after.every((before) => placed.has(before)),
    );
    if (level.length === 0) break;
    levels.push(level);
    for (const { name } of level) placed.add(name);
  }
  return levels;
}

/** The policy that holds while `step` is the one that expired or was rejected. */
export function policyFor(workflow: Workflow, step: string | undefined): RecoveryPolicy {
  return { ...workflow.policy, ...workflow.steps.find(({ name }) => name === step)?.policy };
}

/** Everything that is wrong with a workflow, in words; empty when it can run. */
export function workflowFaults(workflow: Workflow, agents: KnownAgents): string[] {
  const where = `workflow ${workflow.name} v${workflow.version}`;
  const names = workflow.steps.map(({ name }) => name);
  const faults = [...policyFaults(workflow.policy, where), ...outputFaults(workflow, where)];
  const { cancelUntil } = workflow;
  if (cancelUntil !== undefined && !names.includes(cancelUntil)) {
    faults.push(`${where}: cancelUntil ${cancelUntil} is no step`);
  }
  if (names.length === 0) faults.push(`${where}: has no steps`);
  if (new Set(names).size < names.length) faults.push(`${where}: two steps have the same name`);
  for (const step of workflow.steps) {
    const at = `${where}, step ${step.name}`;
    if (!STEP_NAME.test(step.name))
      faults.push(`${at}: the name must be an identifier such as reserveStock, of at most 25 letters and digits`);
    faults.push(...operationFaults(step.agent, step.operation, agents, at), ...transportFaults(step, agents, at));
    faults.push(...timeFaults(step.completeWithin, at), ...waitFaults(step.awaitWithin, at));
    if (step.startWithin !== undefined && durationMs(step.startWithin) === undefined) {
      faults.push(`${at}: startWithin ${step.startWithin} is not an ISO 8601 duration such as ${START_WITHIN}`);
    }
    faults.push(...undoFaults(step, agents, at));
    if (step.policy) faults.push(...policyFaults({ ...workflow.policy, ...step.policy }, at));
    for (const name of step.after) {
      if (!names.includes(name)) faults.push(`${at}: comes after ${name}, which is no step`);
    }
  }
  if (faults.length === 0) faults.push(...graphFaults(workflow, where));
  return faults;
}

function policyFaults(policy: RecoveryPolicy, where: string): string[] {
  const faults: string[] = [];
  if (!Number.isInteger(policy.failureThreshold) || policy.failureThreshold < 1) {
    faults.push(`${where}: policy.failureThreshold must be a whole number of at least 1`);
  }
  const { mostFailures } = policy;
  if (mostFailures !== undefined && !(Number.isInteger(mostFailures) && mostFailures >= 1)) {
    faults.push(`${where}: policy.mostFailures must be a whole number of at least 1, or absent`);
  }
  for (const wait of policy.waits) {
    if (durationMs(wait) === undefined) faults.push(`${where}: policy.waits: ${wait} is not an ISO 8601 duration`);
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

function waitFaults(awaitWithin: string | undefined, at: string): string[] {
  if (awaitWithin === undefined) return [];
  const ms = durationMs(awaitWithin);
  if (ms === undefined) return [`${at}: awaitWithin ${awaitWithin} is not an ISO 8601 duration such as PT10M`];
  return ms <= LONGEST_WAIT_MS
    ? []
    : [`${at}: awaitWithin ${awaitWithin} is longer than a step may wait: at most P30D`];
}

function undoFaults({ agent, undo }: WorkflowStep, agents: KnownAgents, at: string): string[] {
  // A workflow that was written without types may lack it.
  if (undo === undefined) return [`${at}: undo is missing: name an operation, or say "nothing" or "byHand"`];
  if (typeof undo === "string") return [];
  const faults = operationFaults(agent, undo.operation, agents, `${at}, undo`);
  return [...faults, ...timeFaults(undo.completeWithin, `${at}, undo`), ...waitFaults(undo.awaitWithin, `${at}, undo`)];
}

function graphFaults(workflow: Workflow, where: string): string[] {
  const levels = levelsOf(workflow);
  const stuck = workflow.steps.filter((step) => !levels.flat().includes(step)).map(({ name }) => name);
  if (stuck.length > 0) return [`${where}: steps ${stuck.join(", ")} wait for each other`];
  return [];
}
