// Why a job that has not ended does not continue now, from its record.

import {
  after,
  type Direction,
  type Expiry,
  expiresAt,
  type HistoryEntry,
  hasEnded,
  isInHand,
  OUTBOX_GRACE_MS,
  runOf,
  START_REPEATED,
  type StateRecord,
  type StepRecord,
  type StepRun,
  underlyingError,
  unrecoveredOf,
  untaken,
} from "@scheduler-agent-supervisor/core/domain";
import type { JobWait, WaitReason } from "./wait.ts";

type OpenRun = Pick<StepRun, "state" | "scheduledAt" | "startBy" | "completeBy" | "startedAt"> &
  Partial<Pick<StepRun, "notBefore" | "expiry" | "accepted" | "again" | "waitCount">>;

/** An open step of a job: what a wait depends on. */
export interface OpenStep {
  readonly step: string;
  readonly agent: string;
  readonly direction: Direction;
  readonly assignee?: string | undefined;
  readonly run: OpenRun;
}

export interface WaitingJob {
  readonly jobId: string;
  readonly workflow: StateRecord["workflow"];
  readonly processState: StateRecord["processState"];
  readonly direction: Direction;
  readonly dueAt?: string | undefined;
  readonly updatedAt: string;
  readonly unrecovered?: StateRecord["unrecovered"];
  /** When its last step ended, or when it was received: since then it is where it is. */
  readonly reachedAt: string;
  /** Of a Pending job: since then it waits for the start of its attempt, however often that was repeated. */
  readonly pendingSince?: string | undefined;
  readonly open: readonly OpenStep[];
}

export interface WaitContext {
  readonly now: string;
  /** How long a Pending job may wait for its claim after the start of its next attempt. */
  readonly claimWithinMs: number;
  /** How long the supervisor may take, with the difference of clocks. */
  readonly graceMs: number;
  readonly isPaused: (agent: string) => boolean;
}

/** The longest time between two sweeps, and a margin. */
export const SWEEP_GRACE_MS = 60_000;

/** For so long a message of an ended job may be left to the sweep: who left it had tried to send it before. */
const LEFT_MS = 5000;

/** An ended job that is due before this instant has left a message for longer than that. */
export const leftBefore = (now: string): string => after(now, OUTBOX_GRACE_MS - LEFT_MS);

export function waitingJobOf(record: StateRecord): WaitingJob {
  const { jobId, workflow, processState, direction, dueAt, updatedAt, createdAt, steps, unrecovered } = record;
  const ends = Object.values(steps).flatMap(({ endedAt, compensation }) => [endedAt, compensation?.endedAt]);
  const reachedAt = ends.reduce<string>((latest, at) => (at && at > latest ? at : latest), createdAt);
  const open = Object.entries(steps).flatMap(([name, step]) => openRunsOf(name, step, direction));
  const pendingSince = pendingSinceOf(record, record.history);
  const own = { jobId, workflow, processState, direction, dueAt, updatedAt, reachedAt, open };
  const job = { ...own, ...(pendingSince !== undefined && { pendingSince }) };
  return unrecovered ? { ...job, unrecovered } : job;
}

/** The repeated starts are no progress: it waits since the write before the first of them. */
export function pendingSinceOf(
  { processState, updatedAt }: Pick<StateRecord, "processState" | "updatedAt">,
  history: readonly Pick<HistoryEntry, "at" | "what">[],
): string | undefined {
  if (processState !== "Pending" || history.at(-1)?.at !== updatedAt) return undefined;
  const last = history.findLastIndex(({ what }) => what !== START_REPEATED);
  return last === history.length - 1 ? undefined : (history[last] ?? history[last + 1])?.at;
}

function openRunsOf(step: string, record: StepRecord, direction: Direction): OpenStep[] {
  return (["forward", "compensate"] as const).flatMap((each) => {
    const run = runOf(record, each);
    const { agent, assignee } = record;
    const open = { step, agent, ...(assignee !== undefined && { assignee }), direction: each };
    return run && isOpen(run, each, direction) ? [{ ...open, run }] : [];
  });
}

/** A forward step that has not started is not wanted any more in a compensation. */
function isOpen(run: StepRun, each: Direction, direction: Direction): boolean {
  const isWanted = direction === "forward" || each === "compensate";
  const isRetried = run.state === "NotStarted" && isToBeRetried(run);
  return isInHand(run) || (isWanted && isRetried);
}

/** Of one that has not started: it was begun before, in vain. */
export const isToBeRetried = ({
  expiry,
  notBefore,
  waitCount = 0,
}: Partial<Pick<StepRun, "expiry" | "notBefore" | "waitCount">>): boolean =>
  expiry !== undefined || notBefore !== undefined || waitCount > 0;

const POLL_OVERDUE = "its poll is overdue";

/** Why nothing is learned about a step that is done later: its latest poll failed, or is not made. */
function pollFaultOf({ expiry, accepted }: OpenRun, overdueBefore: string): string | undefined {
  const lastReportAt = accepted?.lastReportAt ?? accepted?.at ?? "";
  if (expiry !== undefined && expiry.at > lastReportAt) return underlyingError(expiry.message);
  return (accepted?.pollAt ?? overdueBefore) < overdueBefore ? POLL_OVERDUE : undefined;
}

/** Of a step that was taken up: they end without a sweep or a new attempt, so they are no reason why the job itself does not continue. */
const BY_OTHERS: ReadonlySet<WaitReason> = new Set(["report", "poll", "service"]);

/**
 * Each open step's wait, the longest first, and the job's own where its attempt has not started or no sweep continues it, unless a step's wait says why. None if it
 * has ended, or has finished a step, and is neither overdue nor one that the supervisor tried to continue in vain.
 */
export function waitsOf(job: WaitingJob, context: WaitContext): readonly JobWait[] {
  const { fault: cause, lookAgainAt: until } = unrecoveredOf(job) ?? {};
  // What the sweep could not do is known at once.
  const isOver = hasEnded(job.processState);
  const dueBefore = isOver ? leftBefore(context.now) : after(context.now, -context.graceMs);
  const isForgotten = cause !== undefined || (job.dueAt !== undefined && job.dueAt < dueBefore);
  const unrecovered = cause !== undefined && until !== undefined && { cause, until };
  const waits = (isOver ? [] : job.open)
    .map((open) => waitOf(open, job, context))
    .map((wait) => (wait.reason === "supervisor" ? { ...wait, ...unrecovered } : wait));
  const forgotten = isOver ? "message" : "supervisor";
  const reason = isForgotten ? forgotten : job.processState === "Pending" ? "start" : undefined;
  if (reason !== undefined && waits.every((wait) => BY_OTHERS.has(wait.reason))) {
    const none = { step: null, agent: null, direction: job.direction, cause: null };
    const since = job.pendingSince ?? job.updatedAt;
    waits.push({ ...none, reason, since, until: null, ...(isForgotten && unrecovered) });
  }
  return waits.sort((one, other) => one.since.localeCompare(other.since));
}

const failingBy = ({ ofCode, misconfigured, ofRequest }: Partial<Expiry> = {}): WaitReason => {
  if (ofCode) return "code";
  if (!misconfigured) return "retry";
  return ofRequest ? "answer" : "configuration";
};

/** Code is named with the workflow's version that needs it. */
function causeIn({ message, endpoint, ofCode }: Expiry, { workflow: { name, version } }: WaitingJob): string {
  const words = underlyingError(message);
  return ofCode ? `${endpoint} (${name} v${version}): ${words}` : words;
}

function waitOf({ step, agent, direction, assignee, run }: OpenStep, job: WaitingJob, context: WaitContext): JobWait {
  const { now, claimWithinMs, graceMs, isPaused } = context;
  const cause = run.expiry ? causeIn(run.expiry, job) : null;
  const failing = failingBy(run.expiry);
  const wait = (reason: WaitReason, since: string, until: string | null = null): JobWait => ({
    ...{ reason, step, agent, direction, cause, since },
    until: until !== null && until > now ? until : null,
  });
  const isBegun = run.state === "Running" || run.state === "Awaiting";
  const end = expiresAt(run as StepRun);
  const overdueBefore = after(now, -graceMs);
  // The supervisor may have looked, and look again later: nothing is counted while it only waits.
  const isForgotten = (job.dueAt ?? end) < overdueBefore || unrecoveredOf(job) !== undefined;
  const isOverdue = run.state !== "NotStarted" && end !== "" && end < overdueBefore;
  if (isOverdue && (isBegun || isForgotten)) return wait("supervisor", end);
  if (run.state === "Awaiting") {
    const { at = run.scheduledAt ?? now, lastReportAt = at, pollAt = null } = run.accepted ?? {};
    const fault = pollFaultOf(run, overdueBefore);
    if (fault !== undefined) return { ...wait("poll", lastReportAt, run.again?.at ?? pollAt), cause: fault };
    return { ...wait("report", at, run.completeBy), ...(assignee !== undefined && { assignee }) };
  }
  if (isPaused(agent) && !isBegun) return wait("paused", job.reachedAt);
  const isHeldBack = direction === "compensate" && run.scheduledAt === null && run.notBefore !== undefined;
  if (isHeldBack) return wait("unsettled", job.reachedAt, run.notBefore);
  const { waitCount = 0 } = run;
  if (!isBegun && cause === null && waitCount > 0) {
    return { ...wait("agent", job.reachedAt, run.notBefore), cause: untaken(agent, waitCount) };
  }
  if (run.state === "NotStarted") {
    const claimBy = job.processState === "Pending" ? job.dueAt : undefined;
    return wait(failing, job.reachedAt, run.notBefore ?? (claimBy ? after(claimBy, -claimWithinMs) : null));
  }
  if (cause !== null) return wait(failing, job.reachedAt);
  if (run.state === "Running") return wait("service", run.startedAt ?? run.scheduledAt ?? now, run.completeBy);
  return wait("agent", run.scheduledAt ?? now);
}
