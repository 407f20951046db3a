// A reply from an agent's queue (P7, P8): recorded if the attempt still waits for it, rejected and counted if it is late.
import { createHash, timingSafeEqual } from "node:crypto";
import type { CheckedResult } from "../../agents/declared-results.ts";
import { unreadable } from "../../agents/declared-results.ts";
import { errorWithout } from "../../domain/content/redactor.ts";
import { after, durationMs, instant } from "../../domain/duration.ts";
import { expandedSteps } from "../../domain/record/expand.ts";
import { isInHand, runOf } from "../../domain/record/plan.ts";
import { MOST_NOTED } from "../../domain/record/record-limits.ts";
import type { Direction, StateRecord, StepRun } from "../../domain/record/state-record.ts";
import type { StepEnd, StepTask } from "../../domain/steps/attempt.ts";
import type { Answer } from "../../domain/steps/step-answer.ts";
import { takenUp } from "../../domain/steps/step-run.ts";
import { expiryUnread } from "../../domain/steps/unread.ts";
import {
  type Address,
  type AgentReplyMessage,
  type Failure,
  parseAgentReply,
  type Ticket,
} from "../../messaging/agent-messages.ts";
import type { ReceivedMessage } from "../../messaging/messenger.ts";
import { quarantined } from "../../messaging/shown-message.ts";
import { measure } from "../../telemetry/metrics.ts";
import { describeSpan, inSpan } from "../../telemetry/spans.ts";
import { writeUnread } from "../change.ts";
import { codeFaultOf, reportCode } from "../code-fault.ts";
import type { Replying } from "../ports.ts";
import { rejectLate } from "../write-audit-log.ts";
import { acceptStep, recordProgress } from "./accept-step.ts";
import { askLater } from "./ask-later.ts";
import type { Report } from "./completion.ts";
import { recordAnswer } from "./record-step.ts";
import { replyWithoutSecrets, secretsOf, taskIn } from "./reply-task.ts";
import { recordMark } from "./take-up.ts";

/** The result of a reply's step. */
export interface Received extends StepEnd {
  readonly ticket: Ticket;
}

/** The queue that delivered a reply. */
export interface CameBy {
  readonly queue?: string;
  /** The message, with what could not be read of it. */
  readonly message?: ReceivedMessage;
}

/**
 * Order of writes: the record, the status message, then (by the caller) the event for the attempt. The message is delivered again after a crash in
 * between; the record then shows the step done, and everything after that is done again. A result that does not match its agent's declaration
 * counts as an unavailable agent: the step is requested again, as with a service of this app, and the record contains the cause.
 */
export async function takeReply(
  body: unknown,
  context: Replying,
  { queue, message }: CameBy = {},
): Promise<Received | undefined> {
  const unread = message?.faults ?? [];
  const parsed = parseAgentReply(body);
  if (parsed.kind === "invalid" || unread.length > 0) {
    const faults = [...unread, ...(parsed.kind === "invalid" && body !== undefined ? parsed.faults : [])];
    const address = { messageId: message?.messageId, correlationId: message?.correlationId, queue };
    const kept = quarantined(
      { subject: "InvalidReply", body, received: message, faults, ...address },
      context.rules.contracts,
    );
    context.telemetry.event("ReplyQuarantined", { faults: kept.shown.faults.join("; ") });
    await context.messenger.quarantine(kept);
    return undefined;
  }
  const taken = await takeWord(parsed.reply, context, message?.enqueuedAt);
  if (taken.kind === "unverified") measure("replies.unverified", 1);
  if (taken.kind === "misfit") await askForAnother(parsed.reply, taken, context);
  return taken.kind === "recorded" ? taken.received : undefined;
}

async function askForAnother(reply: AgentReplyMessage, { task, faults }: Misfit, context: Replying): Promise<void> {
  const { kind, message, misconfigured } = unreadable(faults);
  const { ticket, endpoint } = reply;
  const taken = await takeWord({ ticket, endpoint, kind, message, misconfigured }, context);
  if (taken.kind !== "noted") return;
  const { agent, operation } = task;
  const where = routeOf(reply, task).endpoint;
  context.telemetry.event("EndpointMisconfigured", { agent, operation, endpoint: where, message });
}

/** The result of a message about a step. */
type Taken =
  | { readonly kind: "recorded"; readonly received: Received }
  /** The step continues. */
  | { readonly kind: "noted" }
  /** No step waits for it any more. It is counted, and written to the audit log with the reason. */
  | { readonly kind: "late" }
  /** It does not have its request's nonce: anybody may have sent it. Nothing is written, and nothing of it is used. */
  | { readonly kind: "unverified" }
  /** The app's own code threw when it checked the result: of the result nothing is recorded. */
  | { readonly kind: "unchecked" }
  | Misfit;

/** The result does not match the declaration of the step's agent: nothing is recorded. */
interface Misfit {
  readonly kind: "misfit";
  readonly task: StepTask;
  readonly faults: readonly string[];
}

/** How many times an attempt may begin the step again while a report of it is handled. */
const MOST_TRIES = 5;

export type TakenReport =
  | Taken
  | { readonly kind: "not yet" }
  /** The app has not given this address to anybody: nothing is written or counted, and nothing of the report is used. */
  | { readonly kind: "unknown" };

/**
 * A report from the service or person that does a step later. It is for the run that waits for it now, because all runs of a step have one key and
 * therefore one effect. Between two attempts it can't be recorded, and must be reported again. An unknown address costs one read, which may be stale:
 * its caller asks for the report again before that is final (`DoubtedAddresses`).
 */
export async function takeReport({ address, ...report }: Report, context: Replying): Promise<TakenReport> {
  for (let tries = 0; ; tries += 1) {
    const { jobId, step, direction } = address;
    const found = addressed((await context.store.state(jobId))?.record, address);
    if (!found) return { kind: "unknown" };
    const { record, run } = found;
    if (!mayBeDoneLater(record, step, direction, context)) return { kind: "unknown" };
    const ticket: Ticket = { ...address, attempt: run.attempt ?? record.attempt, lockedBy: record.lockedBy ?? "" };
    describeSpan({ jobId, step });
    if (isBetween(record, run, direction, context)) return { kind: "not yet" };
    const taken = await takeWord({ ...report, ticket }, context);
    if (taken.kind === "unverified") return { kind: "unknown" };
    if (taken.kind === "unchecked") return { kind: "not yet" };
    const isSuperseded = taken.kind === "recorded" && taken.received.outcome.kind === "superseded";
    if (!isSuperseded) return taken;
    if (tries === MOST_TRIES) return { kind: "not yet" };
  }
}

/** The record and the run that have that address. */
function addressed(record: StateRecord | undefined, { step, direction, nonce }: Address) {
  const run = runOf(record?.steps[step], direction);
  return record && run && isSame(run.nonce, nonce) ? { record, run } : undefined;
}

/** The request of a step that goes over a queue has a nonce too, but only a step that may be done later was given an address. */
function mayBeDoneLater(record: StateRecord, name: string, direction: Direction, { workflows }: Replying): boolean {
  const step = expandedSteps(workflows.of(record.workflow), record.steps).find((one) => one.name === name);
  const compensation = typeof step?.compensation === "object" ? step.compensation : undefined;
  return (direction === "forward" ? step : compensation)?.awaitWithin !== undefined;
}

/** Its time is over, or it will be run again: the next attempt waits for the same effect. */
function isBetween({ processState, direction }: StateRecord, run: StepRun, ofRun: Direction, ports: Replying): boolean {
  if (direction !== ofRun) return false;
  const { state, completeBy } = run;
  if (state === "NotStarted") return processState === "Pending";
  return isInHand(run) && completeBy !== null && ports.now() > Date.parse(completeBy);
}

/** @param cameAt when it came into its queue; now if absent: what waited there because the app was away is not late */
async function takeWord(said: AgentReplyMessage, context: Replying, cameAt?: string): Promise<Taken> {
  const { ticket } = said;
  const late = async (reason: string): Promise<Taken> => {
    await rejectLate(ticket, reason, context);
    return { kind: "late" };
  };
  const read = await taskOf(ticket, cameAt, context);
  if (read === undefined) return { kind: "unverified" };
  if (typeof read === "string") return late(read);
  const { task, isPast, isHistoryFull } = read;
  const reply = await replyWithoutSecrets(said, task, context);
  context.presence.seen(task.agent);
  if (isPast) return late(`it came after complete-by, ${task.completeBy}`);
  if (reply.kind === "started")
    return reply.failure ? recordFailure(task, reply.failure, context, isHistoryFull) : recordStarted(task, context);
  if (reply.kind === "progress") {
    return (await recordProgress(task, reply, context)) ? NOTED : late("the step waits for no completion");
  }
  if (reply.kind === "unavailable" || (reply.kind === "pending" && task.awaitWithin !== undefined)) {
    const end = await askLater(task, reply, context);
    if (end === "late") return late("it is no answer to what was asked last");
    return end === "noted" ? NOTED : { kind: "recorded", received: { ticket, ...end } };
  }
  let checked: CheckedResult | undefined;
  try {
    checked = reply.kind === "done" ? context.checkResult(task.agent, task.operation, reply.result) : undefined;
  } catch (cause) {
    // The declaration's own code: the step is held, and asked again.
    await recordStarted(task, context);
    const shown = errorWithout(cause, await secretsOf(task, context));
    await recordFailure(task, { tries: 1, ...codeFaultOf(shown, task) }, context);
    return { kind: "unchecked" };
  }
  if (checked?.kind === "misfit") return { kind: "misfit", task, faults: checked.faults };
  const fit = reply.kind === "done" && checked ? { ...reply, result: checked.result } : reply;
  const { jobId, attempt, step } = ticket;
  const span = { traceparent: task.reply.traceparent, attributes: { jobId, attempt, step, agent: task.agent } };
  const end = await inSpan(`record ${step}`, span, () =>
    fit.kind === "accepted" || fit.kind === "pending"
      ? acceptStep(task, { ...routeOf(fit, task), reference: fit.reference, cameAt }, context)
      : recordAnswer(task, answerOf(fit, task), context),
  );
  return { kind: "recorded", received: { ticket, ...end } };
}

const NOTED = { kind: "noted" } as const;

interface TaskRead {
  readonly task: StepTask;
  /** Its time was over when the reply came. */
  readonly isPast: boolean;
  readonly isHistoryFull: boolean;
}

/**
 * The task of the reply, rebuilt from the record; the reason why there is none; undefined if the reply may be anybody's. No reply is late or
 * unverified because of a stale read.
 */
async function taskOf(
  ticket: Ticket,
  cameAt: string | undefined,
  ports: Replying,
): Promise<TaskRead | string | undefined> {
  const { jobId } = ticket;
  const read = taskFrom((await ports.store.state(jobId))?.record, ticket, cameAt, ports);
  if (typeof read === "object" && !read.isPast) return read;
  return taskFrom((await ports.store.latest(jobId))?.record, ticket, cameAt, ports);
}

function taskFrom(
  record: StateRecord | undefined,
  ticket: Ticket,
  cameAt: string | undefined,
  ports: Replying,
): TaskRead | string | undefined {
  const { attempt, step, direction, lockedBy } = ticket;
  const run = record && Object.hasOwn(record.steps, step) ? runOf(record.steps[step], direction) : undefined;
  if (!record || !run) return undefined;
  // A version of the app without nonces may have sent the request: who replies to it is not known.
  const lacksNonce = run.nonce === undefined;
  if (!lacksNonce && !isSame(run.nonce, ticket.nonce)) return undefined;
  const late = (reason: string) => (lacksNonce ? undefined : reason);
  const task = taskIn(record, { attempt, step, direction, lockedBy }, ports);
  if (!task || (task.transport !== "queue" && (lacksNonce || task.awaitWithin === undefined)))
    return late("the record knows of no such request");
  if (run.attempt !== attempt) return late("another attempt has asked anew");
  const isHeld = record.processState === "Processing" && attempt === record.attempt;
  if (isHeld && lockedBy !== record.lockedBy) return late("another holder has asked");
  const cameMs = cameAt === undefined ? ports.now() : Math.min(ports.now(), Date.parse(cameAt));
  const isPast = isInHand(run) && cameMs > Date.parse(task.completeBy);
  return { task, isPast, isHistoryFull: record.history.length >= MOST_NOTED };
}

/** In constant time: the duration shows nothing about how much of a guess was right. */
function isSame(wanted: string | undefined, shown = ""): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return wanted !== undefined && timingSafeEqual(digest(wanted), digest(shown));
}

/** From now on the supervisor counts a failure if the agent is not done in time. */
async function recordStarted(task: StepTask, ports: Replying): Promise<Taken> {
  const now = instant(ports.now());
  // By this host's clock, which also decides whether the reply is late; at most the time in its request.
  const completeBy = after(now, durationMs(task.completeWithin) ?? 0);
  const latest = completeBy < task.completeBy ? completeBy : task.completeBy;
  await recordMark(task, takenUp(task.direction, now, latest), now, ports);
  return NOTED;
}

/** It is only recorded: if the step is not done, the supervisor finds it overdue, and knows why. */
async function recordFailure(task: StepTask, failure: Failure, ports: Replying, isHistoryFull = false): Promise<Taken> {
  const { misconfigured, ofRequest = true } = failure;
  if (failure.ofCode) reportCode(task, failure, ports.telemetry);
  const known = { at: instant(ports.now()), attempt: task.attempt };
  const expiry = { ...failure, ...known, ...(misconfigured && { ofRequest }) };
  await writeUnread(task.jobId, expiryUnread(task, expiry, isHistoryFull), ports);
  return NOTED;
}

function routeOf({ endpoint, because }: AgentReplyMessage, { agent, transport, record, direction }: StepTask) {
  if (transport === "queue") {
    return { endpoint: endpoint ?? `queue of ${agent}`, because: because ?? "asked over its queue" };
  }
  const run = runOf(record, direction);
  return { endpoint: endpoint ?? run?.endpoint ?? agent, because: because ?? run?.because ?? "reported later" };
}

function answerOf(reply: Extract<AgentReplyMessage, { kind: "done" | "rejected" }>, task: StepTask): Answer {
  const route = routeOf(reply, task);
  return reply.kind === "done"
    ? { ...route, kind: "done", result: reply.result }
    : { ...route, kind: "rejected", message: reply.message, outcomeUnknown: reply.outcomeUnknown };
}
