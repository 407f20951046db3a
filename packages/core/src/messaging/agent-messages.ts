// The contract between scheduler and agents that are asked over a queue (P7): the request, and the reply to it.
import { z } from "zod";
import type { StepTask } from "../domain/attempt.ts";
import { durationMs } from "../domain/duration.ts";
import type { Priority } from "../domain/job.ts";
import { inAppsNames, inCoresNames, type Noun, textInAppsNames } from "../domain/noun.ts";
import { runOf } from "../domain/plan.ts";
import type { Awaited, CompensationTarget, Completion, Expiry, StepResult } from "../domain/state-record.ts";
import { LONGEST_WAIT_MS } from "../domain/workflow.ts";
import { check } from "./checked.ts";
import { inTodaysWords } from "./message-version.ts";

/** Says which step of which attempt a reply is to. An agent sends it back as it came. */
export interface Ticket extends Pick<StepTask, "jobId" | "attempt" | "step" | "direction" | "lockedBy"> {
  /** What only the request has: whoever was not asked can't reply. Absent where a version of the app asked that had none. */
  readonly nonce?: string | undefined;
  /** Which time this is that the agent is asked in this run of the step, once it wanted to be asked again: 2, 3, … Absent the first time. */
  readonly round?: number | undefined;
}

/**
 * Says which step a report is of, whatever attempt waits for it now: each attempt asks under the same key and with the same address, so that it
 * is one effect that is reported.
 */
export type Address = Pick<Ticket, "jobId" | "step" | "direction" | "nonce">;

/** What an agent finds on its queue. It lives no longer than until `startBy`. */
export interface AgentRequestMessage {
  readonly ticket: Ticket;
  readonly operation: string;
  /** What of it the agent has declared that it gets. */
  readonly job: object;
  /** The results of the completed steps, by step name. */
  readonly results: { readonly [step: string]: StepResult };
  /** The item of a step with `forEach`. */
  readonly item?: StepResult | undefined;
  /** The same for every request of every attempt of the step in its direction: an agent passes it on. */
  readonly idempotencyKey: string;
  /** For a compensation: the step's result, null if its outcome is unknown, and its idempotency key. */
  readonly compensates: CompensationTarget | null;
  /** An earlier attempt asked for this, and its outcome is not known. */
  readonly mayHaveHappened?: boolean | undefined;
  /** Past this instant nobody may take the request up any more. */
  readonly startBy: string;
  /** ISO 8601: how long an agent has from when it takes the request up. */
  readonly completeWithin: string;
  /** Past this instant nobody waits for the reply, whenever the request was taken up: an agent then sends none (P8). */
  readonly completeBy: string;
  /** Of a step that may be done later. */
  readonly completion?: Completion | undefined;
  /** The agent said that it will be done later: what has become of it? */
  readonly awaited?: Awaited | undefined;
  readonly priority: Priority;
}

interface ReplyFrame {
  readonly ticket: Ticket;
  /** Where the work was done, and why there; an agent may leave both out. */
  readonly endpoint?: string | undefined;
  readonly because?: string | undefined;
}

/** The last technical error of the last try. */
export type Failure = Omit<Expiry, "at" | "attempt">;

export type AgentReplyMessage =
  /** It has taken the request up and is still at work. Without this, a request that gets no reply counts as not taken up. */
  | (ReplyFrame & {
      readonly kind: "started";
      /** It was not done in time, and will not be: for the record alone. It is taken past complete-by too. */
      readonly failure?: Failure | undefined;
    })
  /** It will be done later: what came of it is then reported as `done` or `rejected`. For steps that may wait alone. */
  | (ReplyFrame & { readonly kind: "accepted"; readonly reference?: string | undefined })
  /** The agent can't do it now. It is asked again later, as long as the step has time; without that the supervisor sees to it. */
  | (ReplyFrame & {
      readonly kind: "unavailable";
      readonly message: string;
      /** From now. Absent: the app decides. */
      readonly retryAfterMs?: number | undefined;
      /** The service's address or the agent's credential for it is wrong. */
      readonly misconfigured?: boolean | undefined;
    })
  /** It will be done later, and the agent is to be asked for it again then. For steps that may wait alone. */
  | (ReplyFrame & {
      readonly kind: "pending";
      readonly retryAfterMs: number;
      readonly reference?: string | undefined;
    })
  /** Of what was accepted: whoever does it is still at it. */
  | (ReplyFrame & {
      readonly kind: "progress";
      /** For people. */
      readonly progress?: string | undefined;
      /** ISO 8601: from now on it may take so long, however long it had. */
      readonly within?: string | undefined;
    })
  | (ReplyFrame & { readonly kind: "done"; readonly result: StepResult })
  | (ReplyFrame & {
      readonly kind: "rejected";
      readonly message: string;
      /** A try before the one that was rejected got no answer: it may yet take effect. */
      readonly outcomeUnknown?: boolean | undefined;
    });

/** The record keeps a step's result: an id or two, no documents. */
const RESULT_MEMBERS = 20;
const TEXT_LIMIT = 1000;

const text = z.string().max(TEXT_LIMIT);
const ticket = z.object({
  jobId: text.min(1),
  attempt: z.int().min(1),
  step: text.min(1),
  direction: z.enum(["forward", "compensate"]),
  lockedBy: text.min(1),
  nonce: text.optional(),
  round: z.int().min(2).optional(),
}) satisfies z.ZodType<Ticket>;

/** What a step recorded of its work. */
export const stepResult = z
  .record(z.string().max(100), z.union([text, z.number(), z.boolean(), z.null()]))
  .refine((members) => Object.keys(members).length <= RESULT_MEMBERS, `must have at most ${RESULT_MEMBERS} members`);

const failure = z.object({
  tries: z.int().min(0),
  endpoint: text.nullable(),
  message: text,
  misconfigured: z.boolean().optional(),
}) satisfies z.ZodType<Failure>;

const duration = text.refine((value) => durationMs(value) !== undefined, "must be an ISO 8601 duration such as PT10M");

const pause = z.int().min(0).max(LONGEST_WAIT_MS);

const frame = { ticket, endpoint: text.optional(), because: text.optional() };
const replySchema = z.discriminatedUnion("kind", [
  z.object({ ...frame, kind: z.literal("started"), failure: failure.optional() }),
  z.object({ ...frame, kind: z.literal("accepted"), reference: text.optional() }),
  z.object({
    ...frame,
    kind: z.literal("unavailable"),
    message: text.min(1),
    retryAfterMs: pause.optional(),
    misconfigured: z.boolean().optional(),
  }),
  z.object({ ...frame, kind: z.literal("pending"), retryAfterMs: pause, reference: text.optional() }),
  z.object({ ...frame, kind: z.literal("progress"), progress: text.optional(), within: duration.optional() }),
  z.object({ ...frame, kind: z.literal("done"), result: stepResult }),
  z.object({ ...frame, kind: z.literal("rejected"), message: text.min(1), outcomeUnknown: z.boolean().optional() }),
]) satisfies z.ZodType<AgentReplyMessage>;

export type ParsedReply =
  | { readonly kind: "valid"; readonly reply: AgentReplyMessage }
  | { readonly kind: "invalid"; readonly faults: readonly string[] };

/** This app alone sends requests, so that nothing but the version is checked. @throws NewerSchema */
export function parseAgentRequest(body: unknown, noun: Noun): AgentRequestMessage {
  return received(inTodaysWords(body, "This request to an agent"), noun) as AgentRequestMessage;
}

/** An agent may be anybody's, in any language: its reply is checked, and every fault named. @throws NewerSchema */
export function parseAgentReply(body: unknown, noun: Noun): ParsedReply {
  const checked = check(replySchema, received(inTodaysWords(body, "This agent's reply"), noun), "the body");
  if (checked.kind === "valid") return { kind: "valid", reply: checked.value };
  return { kind: "invalid", faults: checked.faults.map((fault) => textInAppsNames(fault, noun)) };
}

type WithTicket = { readonly ticket?: unknown };

function received(body: unknown, noun: Noun): unknown {
  const message = inCoresNames(body, noun);
  const { ticket } = (message ?? {}) as WithTicket;
  return ticket === undefined ? message : { ...(message as object), ticket: inCoresNames(ticket, noun) };
}

/** A request or a reply, as the app's agents have it on their queues. */
export function asSent(message: AgentRequestMessage | AgentReplyMessage, noun: Noun): object {
  return { ...inAppsNames(message, noun), ticket: inAppsNames(message.ticket, noun) };
}

/** What a reply to that task's request has to show. */
export function ticketOf(task: StepTask): Ticket {
  const { jobId, attempt, step, direction, lockedBy, record } = task;
  return { jobId, attempt, step, direction, lockedBy, nonce: runOf(record, direction)?.nonce };
}

/** The same however often the request is sent in a round: the queue drops repeats. At most 128 characters, of which the round has 7. */
export function requestId({ jobId, attempt, step, direction, round }: Ticket): string {
  return [jobId, attempt, step, direction, ...(round === undefined ? [] : [round])].join(":");
}
