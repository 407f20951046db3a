// One poll of an accepted step (P6, P8): its agent requests the status from the service, and holds nothing until the next poll.
import type { BoundedReply, Bounds, RoutedAgent } from "../../agents/agent.ts";
import { after, durationMs, instant } from "../../domain/duration.ts";
import { runOf } from "../../domain/record/plan.ts";
import type { Acceptance, StateRecord, StepRun } from "../../domain/record/state-record.ts";
import type { StepEnd, StepTask } from "../../domain/steps/attempt.ts";
import { newsOfOne } from "../../domain/steps/news.ts";
import { backoffMs, isPolled, nextPollAt, type PollTask } from "../../domain/steps/poll.ts";
import { withNews } from "../../domain/steps/step-end.ts";
import { change } from "../change.ts";
import { codeFaultOf, reportCode, throwingWithout } from "../code-fault.ts";
import type { Asking } from "../ports.ts";
import { recordAnswer, recordedEnd } from "./record-step.ts";
import { taskIn } from "./reply-task.ts";
import { requestOf } from "./step-request.ts";

/**
 * Order of effects: the poll, which changes nothing; the record; then (by the caller) the event for the attempt. If it runs again after a crash in
 * between, it polls again, or the record shows the poll. The answer is recorded as long as the run waits, whichever attempt then holds the job.
 */
export async function pollService(poll: PollTask, context: Asking): Promise<StepEnd> {
  let record = (await context.store.state(poll.jobId))?.record;
  // An attempt whose poll is not for it ends, or does not poll again.
  if (!isFor(record, poll)) record = (await context.store.latest(poll.jobId))?.record;
  const run = runOf(record?.steps[poll.step], poll.direction);
  const task = record && run && taskIn(record, { ...poll, attempt: run.attempt ?? 0 }, context);
  if (!record || !task) return received(poll, record);
  // An earlier run of this poll may have recorded the end, and crashed before it was published.
  if (!isFor(record, poll)) return (await recordedEnd(task, context)) ?? received(poll, record);
  const agent = context.agents.get(task.agent);
  if (!agent) throw new Error(`step ${task.step} of job ${task.jobId} needs the agent ${task.agent}, not here`);
  const reply = await asked(agent, task, run, context);
  switch (reply.kind) {
    case "done":
    case "rejected":
      // Past complete-by nothing is recorded (P8).
      if (instant(context.now()) > task.completeBy) return received(poll, record);
      return recordAnswer(task, reply, context);
    case "pending":
    case "expired":
    case "notTakenUp":
      return recordNotYet(poll, task, reply, context);
    default:
      return reply satisfies never;
  }
}

function isFor(record: StateRecord | undefined, poll: PollTask): boolean {
  const run = runOf(record?.steps[poll.step], poll.direction);
  return record?.lockedBy === poll.lockedBy && run !== null && isPolled(run, poll);
}

async function asked(
  agent: RoutedAgent,
  task: StepTask,
  run: StepRun,
  context: Asking,
): Promise<Exclude<BoundedReply, { kind: "accepted" }>> {
  try {
    const reply = await ask(agent, task, run, context);
    if (reply.kind !== "accepted") return reply;
    throw new Error(`the poll of ${task.operation} answered that it is accepted, which it was before`);
  } catch (cause) {
    const lastError = codeFaultOf(cause, task);
    reportCode(task, lastError, context.telemetry);
    return { kind: "expired", tries: 0, lastError };
  }
}

/** A poll ends before the step's own time does: what came of it is recorded in time. */
const RECORDED_WITHIN_MS = 500;

/** Its time is that of one try, and never longer than the step's own. */
async function ask(agent: RoutedAgent, task: StepTask, run: StepRun, ports: Asking): Promise<BoundedReply> {
  const { jobId, operation, priority, completeWithin, completeBy: latest } = task;
  const { request, secrets, isClosed } = await requestOf(task, ports, { reference: run.accepted?.reference });
  if (isClosed) throw new Error(`job ${jobId} is closed, and waits for ${task.step}`);
  const bounds: Bounds = {
    ...{ secrets, priority },
    startBy: after(instant(ports.now()), ports.timing.startWithinMs),
    takeUp: async () => {
      const completeBy = after(instant(ports.now()), durationMs(completeWithin) ?? 0);
      const last = after(latest, -RECORDED_WITHIN_MS);
      return { completeBy: completeBy < last ? completeBy : last };
    },
    stillAtWork: async () => undefined,
  };
  return throwingWithout(secrets, () => agent.call(operation, request, bounds));
}

type NotYet = Exclude<BoundedReply, { kind: "done" | "rejected" | "accepted" }>;

/** Records the time of the next poll, and the reason if this one failed. */
async function recordNotYet(poll: PollTask, task: StepTask, reply: NotYet, ports: Asking): Promise<StepEnd> {
  const now = instant(ports.now());
  const news = (run: StepRun) => newsOf(poll, task, run, reply, now);
  const written = await change(task.jobId, (before) => withNews(before, task, now, news), ports);
  // Reported in the meantime, or polled by another run of this same poll.
  const record = written.kind === "written" ? written.record : (await ports.store.state(task.jobId))?.record;
  return received(poll, record);
}

function newsOf(
  poll: PollTask,
  { attempt, completeWithin }: StepTask,
  run: StepRun,
  reply: NotYet,
  now: string,
): Partial<StepRun> | undefined {
  const { accepted: before, completeBy, expiry } = run;
  // Past complete-by nothing is recorded (P8).
  if (!before || !isPolled(run, poll) || (completeBy !== null && now > completeBy)) return undefined;
  const { givenAgain: _sinceLastPoll, ...asked } = before;
  const next = (pauseMs: number) => nextPollAt(before, pauseMs, completeWithin, completeBy ?? now, now);
  switch (reply.kind) {
    case "pending": {
      const { retryAfterMs, reference = before.reference } = reply;
      const accepted = { ...asked, ...(reference !== undefined && { reference }) };
      // An earlier fault of this run, before its latest report, is no reason for what comes later.
      const past = expiry?.attempt === attempt ? undefined : expiry;
      return { accepted: { ...accepted, lastReportAt: now, pollAt: next(retryAfterMs) }, expiry: past };
    }
    case "expired": {
      const { lastError, tries } = reply;
      if (!lastError && tries === 0) return notAsked(before, next(backoffMs(before, now)), completeBy);
      const accepted = { ...asked, pollAt: next(backoffMs(before, now)) };
      return { accepted, ...(lastError && { expiry: { at: now, attempt, tries, ...lastError } }) };
    }
    case "notTakenUp":
      return notAsked(before, next(backoffMs(before, now)), completeBy);
    default:
      return reply satisfies never;
  }
}

/** The service had no part in that: unless it can be asked in time, this poll is still to be made when the wait would end. */
function notAsked(accepted: Acceptance, pollAt: string, completeBy: string | null): Partial<StepRun> | undefined {
  return completeBy !== null && pollAt > completeBy ? undefined : { accepted: { ...accepted, pollAt } };
}

/** The attempt that polled needs the state of the step. */
function received({ attempt, lockedBy, step }: PollTask, record: StateRecord | undefined): StepEnd {
  if (record?.lockedBy !== lockedBy) return { outcome: { kind: "superseded" }, receiver: attempt };
  return { outcome: newsOfOne(record.steps, step), receiver: attempt };
}
