// The contract between scheduler and agents with a queue (P7): the request, and the reply to it.

import { z } from "zod";
import type { Priority } from "../domain/content/job.ts";
import { LONGEST_WAIT_MS } from "../domain/definition/workflow.ts";
import { durationMs } from "../domain/duration.ts";
import { NewerSchema } from "../domain/outage.ts";
import { runOf } from "../domain/record/plan.ts";
import { RESULT_BYTES, RESULT_LEVELS } from "../domain/record/record-limits.ts";
import type {
  Awaited,
  CompensationTarget,
  Completion,
  Expiry,
  ReadResults,
  ResultValue,
  StepResult,
} from "../domain/record/state-record.ts";
import type { StepTask } from "../domain/steps/attempt.ts";
import { check } from "./checked.ts";

/** Identifies the step and attempt of a reply. An agent returns it unchanged. */
export interface Ticket extends Pick<StepTask, "jobId" | "attempt" | "step" | "direction" | "lockedBy"> {
  /**
   * Only the request contains it: a sender that did not receive the request can't reply. Absent if a version of the app without nonces sent the
   * request.
   */
  readonly nonce?: string | undefined;
  /** The number of this request in this run of the step, after the agent asked for a later one: 2, 3, … Absent the first time. */
  readonly round?: number | undefined;
}

/**
 * Identifies the step of a report, whatever attempt waits for it now: each attempt's request has the same key and the same address, so one effect
 * is reported.
 */
export type Address = Pick<Ticket, "jobId" | "step" | "direction" | "nonce">;

/** A request on an agent's queue. It expires at `startBy`. */
export interface AgentRequestMessage {
  readonly ticket: Ticket;
  readonly operation: string;
  /** The members of the content that the agent has declared. */
  readonly job: object;
  /** The results of the completed steps, by step name. */
  readonly results: ReadResults;
  /** The item of a step with `forEach`. */
  readonly item?: StepResult | undefined;
  /** The same for every request of every attempt of the step in its direction: an agent passes it to its service. */
  readonly idempotencyKey: string;
  /** For a compensation: the step's result, null if its outcome is unknown, and its idempotency key. */
  readonly compensates: CompensationTarget | null;
  /** An earlier attempt sent this request, and its outcome is unknown. */
  readonly mayHaveHappened?: boolean | undefined;
  /** After this instant no agent may take the request up any more. */
  readonly startBy: string;
  /** ISO 8601: how long an agent has after it takes the request up. */
  readonly completeWithin: string;
  /** After this instant no attempt waits for the reply, whenever the request was taken up: an agent then sends none (P8). */
  readonly completeBy: string;
  /** For a step that may be done later. */
  readonly completion?: Completion | undefined;
  /** The agent answered that it will be done later: the request is for its status. */
  readonly awaited?: Awaited | undefined;
  readonly priority: Priority;
}

interface ReplyFrame {
  readonly ticket: Ticket;
  /** The endpoint of the work, and the reason for it; an agent may omit both. */
  readonly endpoint?: string | undefined;
  readonly because?: string | undefined;
}

/** The last technical error of the last try. */
export type Failure = Omit<Expiry, "at" | "attempt">;

export type AgentReplyMessage =
  /** It has taken the request up and is working. Without this, a request without a reply counts as not taken up. */
  | (ReplyFrame & {
      readonly kind: "started";
      /** It is not done, shortly before complete-by: what is known of its last try, only for the record. After complete-by it is rejected. */
      readonly failure?: Failure | undefined;
    })
  /** It will be done later: its result is then reported as `done` or `rejected`. Only for steps that may wait. */
  | (ReplyFrame & { readonly kind: "accepted"; readonly reference?: string | undefined })
  /** The agent can't do it now. It receives the request again later, while the step has time; after that the supervisor recovers the step. */
  | (ReplyFrame & {
      readonly kind: "unavailable";
      readonly message: string;
      /** The time from now. Absent: the app decides. */
      readonly retryAfterMs?: number | undefined;
      /** The request, the service's address or the agent's credential for it is wrong. */
      readonly misconfigured?: boolean | undefined;
      /** `false`: it is the address or the credential. Otherwise it may be this job's request alone. */
      readonly ofRequest?: boolean | undefined;
      /** The code of this app's agent threw. */
      readonly ofCode?: boolean | undefined;
    })
  /** It will be done later, and the agent is to receive a request for its status then. Only for steps that may wait. */
  | (ReplyFrame & {
      readonly kind: "pending";
      readonly retryAfterMs: number;
      readonly reference?: string | undefined;
    })
  /** For an accepted step: it is still in progress. */
  | (ReplyFrame & {
      readonly kind: "progress";
      /** For people. */
      readonly progress?: string | undefined;
      /** ISO 8601: the step may take this long from now on, whatever its earlier time was. */
      readonly within?: string | undefined;
    })
  | (ReplyFrame & { readonly kind: "done"; readonly result: StepResult })
  | (ReplyFrame & {
      readonly kind: "rejected";
      readonly message: string;
      /** A try before the rejected one got no answer: it may still take effect. */
      readonly outcomeUnknown?: boolean | undefined;
    });

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

const resultText = z.string().max(RESULT_BYTES);

/** A value with at most so many lists and objects inside each other. */
function valueWithin(levels: number): z.ZodType<ResultValue> {
  const plain = z.union([resultText, z.number(), z.boolean(), z.null()]);
  if (levels === 0) return plain;
  const inner = valueWithin(levels - 1);
  // The type is finite: one level less, each time, is not said in it.
  return z.union([plain, z.array(inner), z.record(resultText, inner)]) as z.ZodType as z.ZodType<ResultValue>;
}

/** The recorded result of a step. Its size as a whole is checked with its declaration, wherever it comes from (agents/declared-results.ts). */
export const stepResult = z.record(resultText, valueWithin(RESULT_LEVELS - 1));

const failure = z.object({
  tries: z.int().min(0),
  endpoint: text.nullable(),
  message: text,
  misconfigured: z.boolean().optional(),
  ofRequest: z.boolean().optional(),
  ofCode: z.boolean().optional(),
}) satisfies z.ZodType<Failure>;

const duration = text.refine((value) => durationMs(value) !== undefined, "must be an ISO 8601 duration such as PT10M");

/** Any other text would be compared as if it were an instant: nothing would ever be late. */
const requestTimes = z.looseObject({
  startBy: z.iso.datetime().optional(),
  completeBy: z.iso.datetime().optional(),
  completeWithin: duration.optional(),
});

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
    ofRequest: z.boolean().optional(),
    ofCode: z.boolean().optional(),
  }),
  z.object({ ...frame, kind: z.literal("pending"), retryAfterMs: pause, reference: text.optional() }),
  z.object({ ...frame, kind: z.literal("progress"), progress: text.optional(), within: duration.optional() }),
  z.object({ ...frame, kind: z.literal("done"), result: stepResult }),
  z.object({ ...frame, kind: z.literal("rejected"), message: text.min(1), outcomeUnknown: z.boolean().optional() }),
]) satisfies z.ZodType<AgentReplyMessage>;

export type ParsedReply =
  | { readonly kind: "valid"; readonly reply: AgentReplyMessage }
  | { readonly kind: "invalid"; readonly faults: readonly string[] };

/** Only this app sends requests, so only the version and the times are checked. @throws NewerSchema */
export function parseAgentRequest(body: unknown): AgentRequestMessage {
  const request = ofKnownVersion(body, "This request to an agent");
  const checked = check(requestTimes, request, "the body");
  if (checked.kind === "invalid")
    throw new Error(`This request to an agent has no readable times: ${checked.faults.join("; ")}`);
  return request as AgentRequestMessage;
}

/** An agent may belong to another team and use any language: its reply is checked, and every fault named. @throws NewerSchema */
export function parseAgentReply(body: unknown): ParsedReply {
  const checked = check(replySchema, ofKnownVersion(body, "This agent's reply"), "the body");
  return checked.kind === "valid" ? { kind: "valid", reply: checked.value } : checked;
}

/** The values that a reply to that task's request must contain. */
export function ticketOf(task: StepTask): Ticket {
  const { jobId, attempt, step, direction, lockedBy, record } = task;
  return { jobId, attempt, step, direction, lockedBy, nonce: runOf(record, direction)?.nonce };
}

/**
 * The same however often the request is sent for one time: the queue drops duplicates. A request for a later time is another one, because the record of
 * the first may not be written, and its answer then came too late. At most 128 characters, of which the time takes 7.
 * @param at when it is asked again; an ISO 8601 instant
 */
export function requestId({ jobId, attempt, step, direction }: Ticket, at?: string): string {
  const again = at === undefined ? [] : [Math.floor(Date.parse(at) / 1000).toString(36)];
  return [jobId, attempt, step, direction, ...again].join(":");
}

/** The version of start messages, requests to agents and their replies. A message without one is read as of this version. */
export const MESSAGE_VERSION = 1;

/**
 * A message from a newer app is left for a newer instance. The same message.
 * @throws NewerSchema: the message is then held, and sent back to wait in its queue
 */
export function ofKnownVersion(body: unknown, what: string): unknown {
  const version = body !== null && typeof body === "object" && "schemaVersion" in body ? body.schemaVersion : 0;
  if (typeof version === "number" && version > MESSAGE_VERSION) throw new NewerSchema(what, version, MESSAGE_VERSION);
  return body;
}
