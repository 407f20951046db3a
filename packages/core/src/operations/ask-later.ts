// An agent that is asked over its queue and can't answer yet (P7, P26): its request is sent again later, within the step's time.
import type { StepEnd, StepTask } from "../domain/attempt.ts";
import { after, durationMs } from "../domain/duration.ts";
import { isInHand, runOf } from "../domain/plan.ts";
import { backoffMs, nextPollAt } from "../domain/poll.ts";
import type { StateRecord, StepRun } from "../domain/state-record.ts";
import { type AgentReplyMessage, ticketOf } from "../messaging/agent-messages.ts";
import { standing } from "./accept-step.ts";
import { type Context, instant, type Ports } from "./ports.ts";
import { requestOf } from "./step-request.ts";
import { recordNews } from "./take-up.ts";

type Unavailable = Extract<AgentReplyMessage, { kind: "unavailable" }>;
type Pending = Extract<AgentReplyMessage, { kind: "pending" }>;

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Order of writes: the record, then the request, scheduled, then (the caller's) the event for the attempt where the step waits from now on. The reply
 * is delivered again after a death in between; the record then shows when the agent is asked, and the queue drops a request that it has.
 * @returns `late` where it is no answer to the request that was sent last
 */
export async function askLater(
  task: StepTask,
  reply: Unavailable | Pending,
  context: Context,
): Promise<StepEnd | "noted" | "late"> {
  const { jobId, attempt, step, agent, direction } = task;
  if (task.transport !== "queue") return "late";
  const round = reply.ticket.round ?? 1;
  const now = instant(context.now());
  let isAccepted = false;
  const written = await recordNews(task, now, context, (run) => {
    isAccepted = reply.kind === "pending" && run.state !== "Awaiting";
    return newsOf(task, run, reply, round, now);
  });
  const record = written.kind === "written" ? written.record : (await context.store.state(jobId))?.record;
  const run = runOf(record?.steps[step], direction);
  if (!record || !isInHand(run) || run.attempt !== attempt || run.again?.round !== round + 1) return "late";
  await askAgain(task, record, run, run.again, context);
  if (reply.kind === "unavailable") return "noted";
  const { completeBy, accepted } = run;
  if (isAccepted && written.kind === "written") {
    const reference = accepted?.reference ?? null;
    context.telemetry.event("StepAccepted", { jobId, attempt, step, agent, completeBy, reference });
  }
  return standing(task, record);
}

/** Undefined where another request was sent since. */
function newsOf(
  task: StepTask,
  run: StepRun,
  reply: Unavailable | Pending,
  round: number,
  now: string,
): Partial<StepRun> | undefined {
  if ((run.again?.round ?? 1) !== round) return undefined;
  const { startedAt } = run;
  const taken = { startedAt: startedAt ?? now, endpoint: reply.endpoint ?? `queue of ${task.agent}` };
  switch (reply.kind) {
    case "unavailable":
      return { ...taken, ...unavailable(task, run, reply, round, now) };
    case "pending":
      return { ...taken, ...pending(task, run, reply, round, now) };
    default:
      return reply satisfies never;
  }
}

/** As for an agent of this app whose service is away: its time runs from when it took the step up, and the supervisor counts it once that is over. */
function unavailable(
  { attempt, completeWithin, completeBy: latest }: StepTask,
  { state, accepted, completeBy }: StepRun,
  { message, retryAfterMs, misconfigured, endpoint }: Unavailable,
  round: number,
  now: string,
): Partial<StepRun> {
  const isFirst = state === "Scheduled";
  const own = after(now, durationMs(completeWithin) ?? 0);
  const growing = accepted ? backoffMs(accepted, now) : Math.min(FIRST_PAUSE_MS * 2 ** (round - 1), LONGEST_PAUSE_MS);
  const pauseMs = Math.max(retryAfterMs ?? growing, FIRST_PAUSE_MS);
  const expiry = {
    at: now,
    attempt,
    tries: round,
    endpoint: endpoint ?? null,
    message,
    ...(misconfigured && { misconfigured }),
  };
  return {
    state: isFirst ? "Running" : state,
    completeBy: isFirst ? (own < latest ? own : latest) : completeBy,
    again: { round: round + 1, at: after(now, pauseMs) },
    expiry,
  };
}

function pending(
  { attempt, awaitWithin = "", completeWithin }: StepTask,
  { state, accepted: before, completeBy: had, expiry }: StepRun,
  { retryAfterMs, reference = before?.reference }: Pending,
  round: number,
  now: string,
): Partial<StepRun> {
  const isFirst = state !== "Awaiting" || !before;
  const known = isFirst ? { at: now } : { ...before, lastReportAt: now };
  const accepted = { ...known, ...(reference !== undefined && { reference }) };
  const completeBy = isFirst ? after(now, durationMs(awaitWithin) ?? 0) : (had ?? now);
  const at = nextPollAt(accepted, retryAfterMs, completeWithin, completeBy, now);
  // What this run met before it reported again is no reason for what comes.
  const past = expiry?.attempt === attempt ? undefined : expiry;
  return { state: "Awaiting", accepted, completeBy, again: { round: round + 1, at }, expiry: past };
}

/** Past its time nobody would wait for the answer: the step expires as any other. */
async function askAgain(
  task: StepTask,
  { steps }: StateRecord,
  { completeBy, state, accepted }: StepRun,
  { at, round }: NonNullable<StepRun["again"]>,
  ports: Ports,
): Promise<void> {
  const { operation, agent, completeWithin, priority, record } = task;
  const latest = completeBy ?? at;
  const leftMs = Date.parse(latest) - Date.parse(at);
  if (leftMs <= 0) return;
  const awaited = state === "Awaiting" ? { reference: accepted?.reference } : undefined;
  const { request } = await requestOf({ ...task, record: steps[task.step] ?? record }, ports, awaited);
  const asked = {
    ticket: { ...ticketOf(task), round },
    operation,
    startBy: latest,
    completeWithin,
    completeBy: latest,
    priority,
    ...request,
    // It took the first one up.
    ...(!awaited && { mayHaveHappened: true }),
  };
  // One that was not too large before is not now.
  await ports.messenger.ask(agent, asked, leftMs, { at });
}
