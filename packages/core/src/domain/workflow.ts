// A workflow as data (P5): which steps, through which agents, in what order, within what time, and how each is compensated.
import { stepOfRun } from "./items.ts";

/** A version of a workflow. Versions count from 1. */
export interface WorkflowRef {
  readonly name: string;
  readonly version: number;
}

/** How a completed step is compensated: by an operation of the same agent, with times in ISO 8601; or not at all. */
export type StepCompensation =
  | { readonly operation: string; readonly completeWithin: string; readonly awaitWithin?: string }
  /** The step leaves nothing behind. */
  | "nothing"
  /** Only a person can compensate it: a compensated job then says so. */
  | "manual";

/** How a step reaches its agent (P7): as an activity of this app, or by a message on the agent's own request queue. */
export type Transport = "activity" | "queue";

/** One step of a workflow: who does it, when it may begin, how long it may take, and how it is compensated. */
export interface WorkflowStep {
  /** An identifier: it is a path in the store and part of the idempotency key. */
  readonly name: string;
  readonly agent: string;
  readonly operation: string;
  /** Absent: an activity. The step's compensation goes the same way. */
  readonly transport?: Transport;
  /** The steps that have to be completed or skipped first. Steps that don't wait for each other run side by side. */
  readonly after: readonly string[];
  /** Rejected for good, or its tries used up: the step is skipped, and the job goes on. What it may have left behind is compensated. */
  readonly optional?: boolean;
  /** A condition of the app's, by its name: where it does not hold, the step is skipped. It is asked once, before the step begins. */
  readonly when?: string;
  /** Of the steps in `after` those without which this one is skipped too. Of the others it may lack the results. */
  readonly needs?: readonly string[];
  /** The step that is done in its place where it is rejected for good, or its tries are used up. Otherwise that step is skipped. */
  readonly otherwise?: string;
  /** A list of the app's, by its name: one run of the step for each of its items, each with a record, a key and a budget of its own. */
  readonly forEach?: string;
  /** ISO 8601: how long its agent has, from the moment it takes the step up. */
  readonly completeWithin: string;
  /**
   * ISO 8601, at most 30 days: how long the step may wait for its completion once the agent's service has accepted it, and will report later what
   * came of it. Absent: the agent's operation may not answer `accepted`.
   */
  readonly awaitWithin?: string;
  /** ISO 8601: how long the step may wait for its agent before it may be scheduled again. The setting `StartWithin` if absent. */
  readonly startWithin?: string;
  readonly compensation: StepCompensation;
  /** What of the workflow's policy is different while this step is the one that expired. */
  readonly policy?: Partial<RecoveryPolicy>;
}

/** What the supervisor does about a job whose steps fail or exceed their time. */
export interface RecoveryPolicy {
  /** Attempts of one step that may fail before the job is given up, waited with or compensated: 3 means three failed attempts. */
  readonly failureThreshold: number;
  /** Attempts of all steps together that may fail, whatever each has left. No limit if absent. */
  readonly mostFailures?: number;
  /** At the threshold: pauses before each further attempt, ISO 8601; they should grow. */
  readonly waits: readonly string[];
  /** When the threshold is reached and all waits are used up. */
  readonly onExhausted: "fail" | "compensate";
  /** When an agent knows a fault to be permanent. */
  readonly onRejected: "fail" | "compensate";
}

/** One version of a workflow: its steps, their sequence, and its recovery policy. A version that jobs have begun with must not change. */
export interface Workflow extends WorkflowRef {
  readonly steps: readonly WorkflowStep[];
  readonly policy: RecoveryPolicy;
  /**
   * What its requester gets of the steps' results: a name for each, and where it stands, as `arrangeShipping.shipmentId`. They change
   * nothing that is done, so an edit needs no new version.
   */
  readonly outputs?: { readonly [name: string]: string };
  /**
   * Steps that follow one another, each with nothing else in hand, run in one activity where their agents live in this app: fewer of them to pay
   * and to wait for. What is recorded, and when, stays the same, so that an edit needs no new version.
   */
  readonly inOneActivity?: boolean;
  /** From when this step is scheduled its requester can't cancel the job any more. Until it is Processed if absent. */
  readonly cancelUntil?: string;
}

/** The policy of one step: one that may be skipped neither fails its job nor has it compensated. */
export interface StepPolicy extends Omit<RecoveryPolicy, "onExhausted" | "onRejected"> {
  readonly onExhausted: RecoveryPolicy["onExhausted"] | "skip";
  readonly onRejected: RecoveryPolicy["onRejected"] | "skip";
}

/** What a workflow may ask of an agent, and how it can be reached. */
export interface AgentFacts {
  readonly operations: readonly string[];
  readonly transports: readonly Transport[];
}

/** Every agent that there is, by name. */
export type KnownAgents = ReadonlyMap<string, AgentFacts>;

/** The names of what the app can say of a job's content: see workflow-rules.ts. */
export interface KnownRules {
  readonly conditions: readonly string[];
  readonly lists: readonly string[];
}

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

/** The policy that holds while `run`, a step or its run for an item, is the one that expired or was rejected. */
export function policyFor(workflow: Workflow, run: string | undefined): StepPolicy {
  const step = run === undefined ? undefined : workflow.steps.find(({ name }) => name === stepOfRun(run));
  const isSkipped = step?.optional === true || step?.otherwise !== undefined;
  return {
    ...workflow.policy,
    ...step?.policy,
    ...(isSkipped && { onExhausted: "skip" as const, onRejected: "skip" as const }),
  };
}
