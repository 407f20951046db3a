// The ports of the operations; compose.ts connects the real ones, tests connect others.
import type { JobView, RoutedAgent } from "../agents/agent.ts";
import type { CheckedResult } from "../agents/declared-results.ts";
import type { Job } from "../domain/content/job.ts";
import { LONGEST_START_MS, START_WITHIN_MS } from "../domain/definition/workflow.ts";
import { instant } from "../domain/duration.ts";
import type { StateRecord, StepResult } from "../domain/record/state-record.ts";
import type { Circumstances } from "../domain/steps/following.ts";
import type { Scheduling } from "../domain/steps/step-run.ts";
import type { Workflows } from "../domain/workflows/workflows.ts";
import type { Address } from "../messaging/agent-messages.ts";
import type { Messenger } from "../messaging/messenger.ts";
import type { AuditLog } from "../store/audit-log.ts";
import type { JobArchive } from "../store/blob-job-archive.ts";
import type { ClosingStore, JobStore } from "../store/job-store.ts";
import type { SubmissionRules } from "../submission/submission-message.ts";
import type { Absences, Leadership } from "../supervisor/leadership.ts";
import type { Telemetry } from "../telemetry/events.ts";
import type { Admission } from "./admission/admission.ts";
import type { AgentPresence } from "./admission/agent-presence.ts";
import type { Pauses } from "./admission/pauses.ts";

/** Times in milliseconds, and counts, that no environment changes. */
export const USUAL_TIMING = {
  /** How long a step may wait for its agent before it is scheduled again, unless the setting says otherwise. */
  startWithinMs: START_WITHIN_MS,
  /** The most that this becomes where steps wait for long. */
  longestStartMs: LONGEST_START_MS,
  /**
   * An agent of this app that takes a step up within this time needs no write for it. Longer than an engine without a backlog needs to begin an
   * activity.
   */
  unrecordedMs: 2000,
  /**
   * How long a message is held under its lock during an outage. The lock is renewed for 5 minutes (host.json). The last try has to end within
   * that time too: it takes up to 80 s.
   */
  holdWithinMs: 180_000,
  /** How long a Pending job may wait for its claim before the scheduler is notified again. A start takes seconds, and a redelivery a minute at most. */
  claimWithinMs: 60_000,
  /** The delay before a job is tried again whose agent can't reach its service because of a wrong address or credential: a person has to fix that. */
  misconfiguredRetryMs: 300_000,
  /** How many times in a row a step may not be taken up in time before that is a failure, where nobody takes its agent's work. */
  mostTimesUntaken: 2,
  /** How many times in a row a step is scheduled again that was not taken up, whatever the reason: then a person has to act. */
  mostTimesRescheduled: 50,
  /** The maximum difference between clocks: a record is overdue only if it is past due by more. */
  clockSkewMs: 2000,
  /** A longer sweep continues at the next tick. */
  sweepWithinMs: 20_000,
  /** The engine's data of an ended attempt is removed at this time after the attempt began: 30 days. */
  orchestrationsKeptForMs: 2_592_000_000,
};

export type Timing = { readonly [name in keyof typeof USUAL_TIMING]: number } & {
  /** The host's limit for one run of a function; five minutes if absent. */
  readonly functionTimeoutMs?: number;
};

/** The retention of the documents of a job that is over. */
export interface Retention {
  readonly store: ClosingStore;
  /** The time from the closing of a job to the removal of all its documents. */
  readonly keepMs: number;
  /** How long a job that was compensated, cancelled or marked resolved can still be resubmitted unchanged. */
  readonly resubmitWithinMs: number;
  /** Written before the documents are marked for removal. */
  readonly archive: JobArchive | undefined;
}

export interface Ports {
  readonly store: JobStore;
  readonly messenger: Messenger;
  readonly agents: ReadonlyMap<string, RoutedAgent>;
  /** The members of the job that the agent has declared. */
  readonly jobFor: (agent: string, job: Job) => JobView;
  /** Checks a result against its agent's declaration. */
  readonly checkResult: (agent: string, operation: string, result: StepResult) => CheckedResult;
  readonly workflows: Workflows;
  readonly rules: SubmissionRules;
  /** Whether a newer version of the app, which does not run now, had a workflow of this name, for example after a rollback. */
  readonly isNewerWorkflow: (name: string) => Promise<boolean>;
  readonly timing: Timing;
  /** The task hub of this host: part of the id of a job's holder. */
  readonly taskHub: string;
  /** Which of several supervisors sweeps (P12). */
  readonly leadership: Leadership;
  /** The audit log of what supervisors and operators decide. */
  readonly supervision: AuditLog;
  /** The operators' pauses; absent: nothing can be paused. */
  readonly pauses?: Pick<Pauses, "isPaused"> | undefined;
  /** Whether anybody takes an agent's work. */
  readonly presence: AgentPresence;
  /** When this app was away. */
  readonly absences: Absences;
  /** How many jobs may be in flight. */
  readonly admission: Admission;
  /** Undefined: they are kept permanently. */
  readonly retention?: Retention | undefined;
  /** The address for the report of a step that is done later. */
  readonly completionUrl: (address: Address) => string;
  /** Returns a new random text that cannot be guessed. */
  readonly nonce: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** The receiver of one invocation's events. */
export type { Telemetry };

/** The ports and the telemetry of one invocation. */
export type Context<Own = Ports> = Own & { readonly telemetry: Telemetry };

/** What follows from a change is decided with these, without a call to store or bus. */
export type Deciding = Pick<Ports, "workflows" | "timing" | "presence" | "nonce" | "now">;
/** Tells clients, and the scheduler of a next attempt. */
export type Publishing = Context<Pick<Ports, "store" | "messenger" | "workflows" | "now">>;
/** Publishes again what ended while the engine was lost. */
export type Restoring = Publishing & Pick<Ports, "presence" | "taskHub">;
/** Claims a job for an attempt. */
export type Claiming = Deciding & Publishing & Pick<Ports, "taskHub">;
/** Records what a step came to, and publishes it. */
export type Recording = Deciding & Publishing & Pick<Ports, "rules" | "retention" | "supervision">;
/** Asks an agent for a step. */
export type Asking = Recording & Pick<Ports, "agents" | "jobFor" | "completionUrl">;
/** Takes an agent's word. */
export type Replying = Asking & Pick<Ports, "checkResult">;
/** Changes a job for an operator or its client. */
export type Operating = Claiming & Recording & Pick<Ports, "checkResult">;
/** The front door of jobs. */
export type Submitting = Operating & Pick<Ports, "admission" | "pauses" | "isNewerWorkflow" | "pause">;
/** Finds what is overdue, and has it go on. */
export type Supervising = Asking & Pick<Ports, "leadership" | "absences" | "pause">;

/** Twice as late as the engine was begins what is scheduled now, at most. */
const LATER_STILL = 2;

/** How long a step that is scheduled now may wait for its agent. */
export function startWithinOf({ timing, presence }: Pick<Ports, "timing" | "presence">): number {
  return Math.max(timing.startWithinMs, Math.min(presence.engineLateMs * LATER_STILL, timing.longestStartMs));
}

export function schedulingOf(ports: Pick<Ports, "timing" | "presence" | "nonce">): Scheduling {
  const { longestStartMs, unrecordedMs } = ports.timing;
  return { startWithinMs: startWithinOf(ports), longestStartMs, unrecordedMs, nonce: ports.nonce };
}

/** What a change of that job depends on besides its record. */
export function circumstancesOf({ workflow }: Pick<StateRecord, "workflow">, ports: Deciding): Circumstances {
  return {
    workflow: ports.workflows.of(workflow),
    now: instant(ports.now()),
    scheduling: schedulingOf(ports),
    claimWithinMs: ports.timing.claimWithinMs,
  };
}
