// An agent with a queue that can't answer yet (P7, P26): its request is sent again later, within the step's time.

import { after, durationMs, instant } from "../../domain/duration.ts";
import { isInHand, runOf } from "../../domain/record/plan.ts";
import type { StateRecord, StepRun } from "../../domain/record/state-record.ts";
import type { StepEnd, StepTask } from "../../domain/steps/attempt.ts";
import { backoffMs, nextPollAt } from "../../domain/steps/poll.ts";
import { withNews } from "../../domain/steps/step-end.ts";
import { type AgentReplyMessage, ticketOf } from "../../messaging/agent-messages.ts";
import { change } from "../change.ts";
import { codeFaultOf, reportCode } from "../code-fault.ts";
import type { Asking } from "../ports.ts";
import { waitByEvent } from "./accept-step.ts";
import { requestOf } from "./step-request.ts";
import { recordFault } from "./unanswered.ts";

type Unavailable = Extract<AgentReplyMessage, { kind: "unavailable" }>;
type Pending = Extract<AgentReplyMessage, { kind: "pending" }>;

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Order of writes: the record, then the request, scheduled, then (by the caller) the event for the attempt if the step waits from now on. After a
 * crash in between the reply is delivered again; the record then contains the time of the next request, and the queue drops a request that it
 * already has.
 * @returns `late` if it does not answer the latest request
 */
export async function askLater(
  task: StepTask,
  reply: Unavailable | Pending,
  context: Asking,
): Promise<StepEnd | "noted" | "late"> {
  const { jobId, attempt, step, agent, direction } = task;
  if (task.transport !== "queue") return "late";
  const round = reply.ticket.round ?? 1;
  const now = instant(context.now());
  let isAccepted = false;
  const news = (run: StepRun) => {
    isAccepted = reply.kind === "pending" && run.state !== "Awaiting";
    return newsOf(task, run, reply, round, now);
  };
  const written = await change(task.jobId, (before) => withNews(before, task, now, news), context);
  const record = written.kind === "written" ? written.record : (await context.store.state(jobId))?.record;
  const run = runOf(record?.steps[step], direction);
  if (!record || !isInHand(run) || run.attempt !== attempt || run.again?.round !== round + 1) return "late";
  try {
    await askAgain(task, record, run, run.again, context);
  } catch (cause) {
    const lastError = codeFaultOf(cause, task);
    reportCode(task, lastError, context.telemetry);
    await recordFault(task, { tries: round, lastError }, context);
  }
  if (reply.kind === "unavailable") {
    if (reply.ofCode) reportCode(task, { endpoint: reply.endpoint ?? null, message: reply.message }, context.telemetry);
    return "noted";
  }
  const { completeBy, accepted } = run;
  if (isAccepted && written.kind === "written") {
    const reference = accepted?.reference ?? null;
    context.telemetry.event("StepAccepted", { jobId, attempt, step, agent, completeBy, reference });
  }
  return waitByEvent(task, record, context);
}

/** Undefined if another request was sent since. */
function newsOf(
  task: StepTask,
  run: StepRun,
  reply: Unavailable | Pending,
  round: number,
  now: string,
): Partial<StepRun> | undefined {
  // A later request than that of the record was sent by whoever died before the write.
  if ((run.again?.round ?? 1) > round) return undefined;
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

/**
 * As for an agent of this app with an unavailable service: its time runs from its start, and the supervisor counts the failure once the time is
 * over.
 */
function unavailable(
  { attempt, completeWithin, completeBy: latest }: StepTask,
  { state, accepted, completeBy }: StepRun,
  { message, retryAfterMs, misconfigured, ofRequest = true, ofCode, endpoint }: Unavailable,
  round: number,
  now: string,
): Partial<StepRun> {
  const isFirst = state === "Scheduled";
  const own = after(now, durationMs(completeWithin) ?? 0);
  const growing = accepted ? backoffMs(accepted, now) : Math.min(FIRST_PAUSE_MS * 2 ** (round - 1), LONGEST_PAUSE_MS);
  const pauseMs = Math.max(retryAfterMs ?? growing, FIRST_PAUSE_MS);
  const at = accepted ? nextPollAt(accepted, pauseMs, completeWithin, completeBy ?? latest, now) : after(now, pauseMs);
  const expiry = {
    at: now,
    attempt,
    tries: round,
    endpoint: endpoint ?? null,
    message,
    ...(misconfigured && { misconfigured, ofRequest }),
    ...(ofCode && { ofCode }),
  };
  return {
    state: isFirst ? "Running" : state,
    completeBy: isFirst ? (own < latest ? own : latest) : completeBy,
    again: { round: round + 1, at },
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
  // An earlier fault of this run, before its latest report, is no reason for what comes later.
  const past = expiry?.attempt === attempt ? undefined : expiry;
  return { state: "Awaiting", accepted, completeBy, again: { round: round + 1, at }, expiry: past };
}

/** Sends the request again. After its time no attempt would wait for the answer: the step expires as any other. */
export async function askAgain(
  task: StepTask,
  { steps }: StateRecord,
  { completeBy, state, accepted }: StepRun,
  { at, round }: NonNullable<StepRun["again"]>,
  ports: Asking,
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
    // The agent took the first request up.
    ...(!awaited && { mayHaveHappened: true }),
  };
  // The request was not too large before, so it is not too large now.
  await ports.messenger.ask(agent, asked, leftMs, { at });
}
