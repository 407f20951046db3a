// The small world that the model is about: two hosts, one job, a workflow, and how much may go wrong.

import { type Contracts, defineContract, type Job, jobId, jobMembers } from "@scheduler-agent-supervisor/core/app";
import { type Timing, USUAL_TIMING } from "@scheduler-agent-supervisor/core/domain";
import type { OperatorRequest } from "@scheduler-agent-supervisor/core/messaging";
import type { Workflow, WorkflowRules } from "@scheduler-agent-supervisor/core/workflows";
import { z } from "zod";
import { TICK_MS } from "./abstract-time.ts";
import type { Mutant } from "./mutant.ts";

export type Host = "east" | "west";
export const HOSTS: readonly Host[] = ["east", "west"];

/** The hosts' clocks differ by as much as the settings allow. */
const CLOCK_SKEW_MS = 1.5 * TICK_MS;
export const AHEAD_MS: { readonly [host in Host]: number } = { east: 0, west: CLOCK_SKEW_MS };

export const TIMING: Timing = {
  ...USUAL_TIMING,
  // Once: how often it was before is then no part of a state.
  mostTimesUntaken: 1,
  claimWithinMs: TICK_MS,
  clockSkewMs: CLOCK_SKEW_MS,
  sweepWithinMs: 5000,
  startWithinMs: TICK_MS,
  // Nor does a step wait longer for that.
  longestStartMs: TICK_MS,
  unrecordedMs: 0,
  orchestrationsKeptForMs: TICK_MS,
};

/** How often each fault may happen in one run. Everything that is not named here may happen at any time and without limit. */
export interface Bounds {
  /** A process, a message or a timer makes no progress while the clock ticks. */
  readonly stalls: number;
  /** A process is killed between two of its effects. Durable work is resumed. */
  readonly deaths: number;
  /** A message is delivered twice, or an activity runs twice at the same time. */
  readonly repeats: number;
  /** The store or the bus fails: before the operation, or after it with the answer lost. */
  readonly outages: number;
  /** Actions of an operator. */
  readonly actions: number;
  /** A service rejects permanently. */
  readonly rejections: number;
  /** A service acts and its answer is lost, or it acts after the agent timed out, or it completes accepted work too late. */
  readonly lateness: number;
  /** Whoever does a step later says that it is still at it, and wants more time. */
  readonly progress: number;
  /** Somebody who was not asked reports that a step is done. */
  readonly forgeries: number;
  /** A read finds the record as it was before its last write, made less than a tick ago: never by who wrote it, or has read it since. */
  readonly staleReads: number;
  /** The deadline of the job passes. Absent: never. */
  readonly deadlines?: number;
  /** A service does not answer while its agent has time. Absent: as often as it likes. */
  readonly timeouts?: number;
}

export const NOTHING_GOES_WRONG: Bounds = {
  stalls: 0,
  deaths: 0,
  repeats: 0,
  outages: 0,
  actions: 0,
  rejections: 0,
  lateness: 0,
  progress: 0,
  forgeries: 0,
  staleReads: 0,
};

export interface Setting {
  readonly name: string;
  readonly workflow: Workflow;
  /** What the workflow's conditions say; none if absent. */
  readonly rules?: WorkflowRules;
  /** What they say to an activity that runs again, after a death or a second time: a newer release has other rules. */
  readonly laterRules?: WorkflowRules;
  readonly bounds: Bounds;
  /** What the operator may ask for. */
  readonly requests: readonly OperatorRequest[];
  /** The hosts that take work and sweep. */
  readonly hosts: readonly Host[];
  /** Nothing is abstracted away but the time of day: for comparing the model with itself (abstraction.test.ts). */
  readonly isExact?: boolean;
  /** Explored without any reduction: for comparing the reduced model with it (reduction.test.ts). */
  readonly isUnreduced?: boolean;
  /**
   * Each process runs on until it waits for a service, a message or the clock, or until a fault befalls it: no other one's writes come in between. For
   * workflows with too many steps for each interleaving of their processes, which the core's own worlds explore.
   */
  readonly isCoarse?: boolean;
  /**
   * The operations that no agent takes up. Agents are then known to be absent, also those that take up the other operations: what is known of them may
   * be old. Absent: agents are known to work, and no wait is a failure.
   */
  readonly idle?: readonly string[];
  /** The steps whose services do not report what they do later: their agents poll them. */
  readonly polled?: readonly string[];
  /** The service has no idempotency keys: it does each request that reaches it, and its agent has this policy for each operation. */
  readonly withoutKeys?: "atMostOnce" | "find";
  /** A service that may accept what it has just rejected for good. */
  readonly isFickle?: boolean;
  /** An activity goes on to the step that follows. Absent: its time for further steps is always over, and the scheduler begins that step. */
  readonly goesOn?: true;
  /** In place of the app's own: see domain/steps/history-length.ts. Less than nothing: an attempt continues as new whenever it may. */
  readonly historyBytes?: number;
  /** The lists in the results of steps: by the step, then by the member. */
  readonly listed?: { readonly [step: string]: { readonly [member: string]: readonly object[] } };
  readonly mutant?: Mutant;
  /** Faults that are known and stand in the README, by their words: the explorer passes over them. */
  readonly known?: readonly string[];
}

export const LATER_MS = 2 * TICK_MS;

/** Of content nothing is read: what depends on it is decided by the setting. */
export const CONTENT: Job & { readonly jobId: string } = {
  jobId: "job",
  workflow: "model",
  priority: "normal",
};

export const CONTRACTS: Contracts = {
  usual: defineContract({
    schema: z.strictObject({ ...jobMembers("model"), jobId }),
    secrets: [],
    keys: [],
    keysOf: () => ({}),
  }),
  usualWorkflow: CONTENT.workflow,
  of: {},
};

/** What an operator may ask for. */
export const REQUESTS = {
  resubmit: { kind: "resubmit", reason: "fixed", job: null, compensatedManually: false },
  forward: { kind: "resubmit", reason: "fixed", job: null, compensatedManually: false, direction: "forward" },
  fromTheStart: { kind: "resubmit", reason: "fixed", job: null, compensatedManually: true },
  edit: { kind: "resubmit", reason: "corrected", job: CONTENT, compensatedManually: true },
  compensation: { kind: "compensate", reason: "not wanted" },
  cancel: { kind: "cancel", reason: "sent by mistake" },
  extend: { kind: "extend", reason: "patience", byMs: TICK_MS },
  wasDone: { kind: "recordOutcome", reason: "asked", step: "a", outcome: "done", result: { id: "1" } },
  wasNotDone: { kind: "recordOutcome", reason: "asked", step: "a", outcome: "notDone" },
} as const satisfies Record<string, OperatorRequest>;
