// One question after a step that was accepted (P6, P8): its agent asks the service what has become of it, and nothing is held until the next one.
import type { BoundedReply, RoutedAgent } from "../agents/agent.ts";
import type { StepEnd, StepTask } from "../domain/attempt.ts";
import { after, durationMs } from "../domain/duration.ts";
import { runOf } from "../domain/plan.ts";
import { backoffMs, isPolled, nextPollAt, type Poll } from "../domain/poll.ts";
import type { StateRecord, StepRun } from "../domain/state-record.ts";
import { START_WITHIN } from "../domain/workflow.ts";
import { type Context, instant, type Ports } from "./ports.ts";
import { recordAnswer, recordedEnd } from "./record-step.ts";
import { requestOf } from "./step-request.ts";
import { recordNews } from "./take-up.ts";
import { taskIn } from "./task-in.ts";

/**
 * Order of effects: the question, which changes nothing; the record; then (the caller's) the event for the attempt. Run again after a death in between, it asks
 * again, or the record shows that it was asked. What it receives is recorded as long as the run waits, whoever holds the job by then.
 */
export async function pollStep(poll: Poll, context: Context): Promise<StepEnd> {
  const record = (await context.store.state(poll.jobId))?.record;
  const run = runOf(record?.steps[poll.step], poll.direction);
  const task = record && run && taskIn(record, { ...poll, attempt: run.attempt ?? 0 }, context);
  if (!record || !task) return received(poll, record);
  const isToAsk = record.lockedBy === poll.lockedBy && isPolled(run, poll);
  // An earlier run of this question may have recorded the end, and died before it was published.
  if (!isToAsk) return (await recordedEnd(task, context)) ?? received(poll, record);
  const agent = context.agents.get(task.agent);
  if (!agent) throw new Error(`step ${task.step} of job ${task.jobId} needs the agent ${task.agent}, not here`);
  const reply = await ask(agent, task, run, context);
  switch (reply.kind) {
    case "done":
    case "rejected":
      return recordAnswer(task, reply, context);
    case "accepted":
      throw new Error(`the poll of ${task.operation} answered that it is accepted, which it was before`);
    case "pending":
    case "expired":
    case "notTakenUp":
      return recordNotYet(poll, task, reply, context);
    default:
      return reply satisfies never;
  }
}

/** Its time is a try's, and never longer than the step's own. */
async function ask(agent: RoutedAgent, task: StepTask, run: StepRun, ports: Ports): Promise<BoundedReply> {
  const { jobId, operation, priority, completeWithin, completeBy: latest } = task;
  const { request, isClosed } = await requestOf(task, ports, { reference: run.accepted?.reference });
  if (isClosed) throw new Error(`job ${jobId} is closed, and waits for ${task.step}`);
  return agent.call(operation, request, {
    priority,
    startBy: after(instant(ports.now()), durationMs(START_WITHIN) ?? 0),
    takeUp: async () => {
      const completeBy = after(instant(ports.now()), durationMs(completeWithin) ?? 0);
      return completeBy < latest ? completeBy : latest;
    },
    stillAtWork: async () => undefined,
  });
}

type NotYet = Exclude<BoundedReply, { kind: "done" | "rejected" | "accepted" }>;

/** When it is asked again, and where it could not be asked, why. */
async function recordNotYet(poll: Poll, task: StepTask, reply: NotYet, ports: Ports): Promise<StepEnd> {
  const now = instant(ports.now());
  const written = await recordNews(task, now, ports, (run) => newsOf(poll, task, run, reply, now));
  // Reported meanwhile, or asked by another run of this very question.
  const record = written.kind === "written" ? written.record : (await ports.store.state(task.jobId))?.record;
  return received(poll, record);
}

function newsOf(
  poll: Poll,
  { attempt, completeWithin }: StepTask,
  run: StepRun,
  reply: NotYet,
  now: string,
): Partial<StepRun> | undefined {
  const { accepted: before, completeBy, expiry } = run;
  if (!before || !isPolled(run, poll)) return undefined;
  const next = (pauseMs: number) => nextPollAt(before, pauseMs, completeWithin, completeBy ?? now, now);
  switch (reply.kind) {
    case "pending": {
      const { retryAfterMs, reference = before.reference } = reply;
      const known = { ...before, ...(reference !== undefined && { reference }) };
      // What this run met before it reported again is no reason for what comes.
      const past = expiry?.attempt === attempt ? undefined : expiry;
      return { accepted: { ...known, lastReportAt: now, pollAt: next(retryAfterMs) }, expiry: past };
    }
    case "expired":
    case "notTakenUp": {
      const accepted = { ...before, pollAt: next(backoffMs(before, now)) };
      const { lastError, tries } = reply.kind === "expired" ? reply : {};
      return { accepted, ...(lastError && { expiry: { at: now, attempt, tries: tries ?? 0, ...lastError } }) };
    }
    default:
      return reply satisfies never;
  }
}

/** The attempt that asked has to know how the record stands. */
function received({ attempt, lockedBy }: Poll, record: StateRecord | undefined): StepEnd {
  if (record?.lockedBy !== lockedBy) return { outcome: { kind: "superseded" }, receiver: attempt };
  return { outcome: { kind: "completed", steps: record.steps, hasEnded: false }, receiver: attempt };
}
