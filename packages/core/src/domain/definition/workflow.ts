// A workflow as data (P5): its steps, their agents, sequence, times and compensations.

import { stepOfRun } from "./items.ts";

/** A version of a workflow. Versions count from 1. */
export interface WorkflowRef {
  readonly name: string;
  readonly version: number;
}

/** How a completed step is compensated: by an operation of the same agent, with times in ISO 8601; or not at all. */
export type StepCompensation =
  | { readonly operation: string; readonly completeWithin: string; readonly awaitWithin?: string }
  /** The step has no effect to compensate. */
  | "nothing"
  /** Only a person can compensate it: the error of a compensated job then names the step. */
  | "manual";

/** How a step reaches its agent (P7): as an activity of this app, or by a message on the agent's own request queue. */
export type Transport = "activity" | "queue";

/** One step of a workflow: its agent, predecessors, times and compensation. */
export interface WorkflowStep {
  /** An identifier: it is a path in the store and part of the idempotency key. */
  readonly name: string;
  readonly agent: string;
  readonly operation: string;
  /** An activity if absent. The step's compensation uses the same transport. */
  readonly transport?: Transport;
  /** The steps that have to be completed or skipped first. Steps that don't wait for each other run in parallel. */
  readonly after: readonly string[];
  /** If the step is rejected permanently, or its failure budget is used up, it is skipped and the job continues. Its possible effect is compensated. */
  readonly optional?: boolean;
  /** The name of a condition. If it is false, the step is skipped. It is evaluated once, before the step starts. */
  readonly when?: string;
  /** Steps of `after` that this step requires: if one is skipped, this step is skipped too. The results of the others may be missing. */
  readonly needs?: readonly string[];
  /** The fallback: the step that runs if this one is rejected permanently or its failure budget is used up. Otherwise the fallback is skipped. */
  readonly otherwise?: string;
  /**
   * A list: the step runs once for each of its items, with a record, an idempotency key and a failure budget of its own. The name of a list of the
   * content; or `step.member`, a list of objects in the result of a step that comes before.
   */
  readonly forEach?: string;
  /** ISO 8601: how long its agent has after it starts the step. */
  readonly completeWithin: string;
  /**
   * ISO 8601, at most 30 days: how long the step may wait for its result after the agent's service has accepted it.
   * Absent: the agent's operation may not answer `accepted`.
   */
  readonly awaitWithin?: string;
  /** A person, group or role that has to act while the step awaits its report. Recorded at submission. Half-way through the wait a reminder is sent. */
  readonly assignee?: string;
  readonly compensation: StepCompensation;
  /** The members of the workflow's policy that differ for this step. */
  readonly policy?: Partial<RecoveryPolicy>;
}

/** How often work may fail, and the waits between its attempts. */
export interface FailureBudget {
  /** The number of attempts of one step that may fail before the supervisor waits, compensates or fails the job. */
  readonly failureThreshold: number;
  /** At the threshold: the wait before each further attempt, ISO 8601. The waits should increase. */
  readonly waits: readonly string[];
}

/** The supervisor's reaction to a job whose steps fail or time out. */
export interface RecoveryPolicy extends FailureBudget {
  /** The reaction when the threshold is reached and all waits are used up. */
  readonly onExhausted: "fail" | "compensate";
  /** The reaction to a permanent fault. */
  readonly onRejected: "fail" | "compensate";
  /**
   * The reaction where it is not known whether a step was done, in place of its compensation. `"fail"`: a person says what came of it. Absent: it is
   * compensated, after the time in which it may still be done.
   */
  readonly onUnknown?: "fail" | "compensate";
  /**
   * The reaction if nobody reports a step in time that is done later (`awaitWithin`). `"retry"`, or absent: a failure as any other, and the step is
   * requested again. Another value applies at the first wait that expires.
   */
  readonly onAwaitExpired?: "retry" | "fail" | "compensate";
  /**
   * The budget of a compensation: its members that differ. When it is used up, the step is left to an operator, and the job ends in Error after the
   * compensation of the other steps.
   */
  readonly compensation?: Partial<FailureBudget>;
}

/** The time of a whole job, and the reaction if it is not done by then. */
export interface JobDeadline {
  /** ISO 8601, at most P366D: how long a job has from its submission, or from the resubmission of a job that had ended. */
  readonly completeWithin: string;
  /** `"compensate"`: what a cancellation does. `"fail"`: the job ends in Error, for an operator. */
  readonly onExpired: "fail" | "compensate";
}

/**
 * One version of a workflow: its steps, their sequence, and its recovery policy. The steps of a version that jobs have started with, and how they
 * depend on each other, must not change; times and policies may: see workflow-content.ts.
 */
export interface Workflow extends WorkflowRef {
  readonly steps: readonly WorkflowStep[];
  readonly policy: RecoveryPolicy;
  /**
   * The results that the client receives: a name and a source for each, such as `arrangeShipping.shipmentId`. They do not change
   * the steps, so an edit needs no new version.
   */
  readonly outputs?: { readonly [name: string]: string };
  /** Absent: a job has as much time as its steps take. It is no part of a version: an edit needs no new one. */
  readonly deadline?: JobDeadline;
  /** When this step is scheduled, the requester can no longer cancel the job. If absent, the requester can cancel until it is Processed. */
  readonly cancelUntil?: string;
}

/** A workflow with what its agents declare. */
export interface LoadedWorkflow extends Workflow {
  /** By step: how long after a try that was given up it may still be done. */
  readonly settlesWithinMs?: { readonly [step: string]: number };
}

/** The policy of one step: the fault of a step that may be skipped neither fails its job nor compensates it. */
export interface StepPolicy extends Omit<RecoveryPolicy, "onExhausted" | "onRejected" | "onAwaitExpired"> {
  readonly onExhausted: RecoveryPolicy["onExhausted"] | "skip";
  readonly onRejected: RecoveryPolicy["onRejected"] | "skip";
  readonly onAwaitExpired?: RecoveryPolicy["onAwaitExpired"] | "skip";
}

/** The operations of an agent that a workflow may use, and its transports. */
export interface AgentFacts {
  readonly operations: readonly string[];
  readonly transports: readonly Transport[];
  /** By operation: how long after a try that was given up it may still be done. */
  readonly settlesWithinMs?: { readonly [operation: string]: number | undefined };
  /** The operations that a compensation which comes first does not keep from being done, and that can't be asked for. */
  readonly doneAfterCompensation?: readonly string[];
}

/** All agents, by name. */
export type KnownAgents = ReadonlyMap<string, AgentFacts>;

/** The names of the app's rules for a job's content: see workflow-rules.ts. */
export interface KnownRules {
  readonly conditions: readonly string[];
  readonly lists: readonly string[];
}

/** An activity must end before the host's functionTimeout does (host.json: 5 minutes). */
export const LONGEST_STEP_MS = 4 * 60_000;
/** What an agent of this app may use of one activity: it waits for a place until start-by, and has complete-by from then on. */
const LONGEST_ACTIVITY_MS = 4.5 * 60_000;
export const LONGEST_WAIT_MS = 30 * 86_400_000;
export const LONGEST_JOB_MS = 366 * 86_400_000;
/** How long a step may wait for its agent, if the app's settings have no other time: an engine with a backlog is not the step's fault. */
export const START_WITHIN_MS = 30_000;
/** The most that this becomes where steps wait for long. */
export const LONGEST_START_MS = 30 * 60_000;

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

/** The policy that applies if `run`, a step or its run for an item, expired or was rejected. */
export function policyFor(workflow: Workflow, run: string | undefined): StepPolicy {
  const step = run === undefined ? undefined : workflow.steps.find(({ name }) => name === stepOfRun(run));
  const isSkipped = step?.optional === true || step?.otherwise !== undefined;
  const compensation = { ...workflow.policy.compensation, ...step?.policy?.compensation };
  const policy = { ...workflow.policy, ...step?.policy };
  const hasWaitPolicy = policy.onAwaitExpired !== undefined && policy.onAwaitExpired !== "retry";
  return {
    ...policy,
    ...(Object.keys(compensation).length > 0 && { compensation }),
    ...(isSkipped && { onExhausted: "skip" as const, onRejected: "skip" as const }),
    ...(isSkipped && hasWaitPolicy && { onAwaitExpired: "skip" as const }),
  };
}

/** The host's limit for one run of a function, and what an activity may use of it (P8). */
export interface HostTimeout {
  /** Infinite if the host has no limit. */
  readonly ms: number;
  /** Where it is set, with its value. */
  readonly from: string;
}

/** The sample's host.json, and the host's own limit in the Consumption plan. */
export const USUAL_TIMEOUT: HostTimeout = { ms: 5 * 60_000, from: "functionTimeout 00:05:00 in host.json" };

/** To record the end of a step, and to publish it. */
const END_MS = 30_000;

/** What an agent of this app may use of one activity: it waits for a place until start-by, and has complete-by from then on. */
export function longestActivityMs({ ms }: Pick<HostTimeout, "ms">): number {
  return Math.min(LONGEST_ACTIVITY_MS, Math.max(ms - END_MS, 0));
}

/** How long after its start an activity with several steps begins no step that may end later. */
export function longestStepMs({ ms }: Pick<HostTimeout, "ms">): number {
  return Math.min(LONGEST_STEP_MS, Math.max(ms - 2 * END_MS, 0));
}
