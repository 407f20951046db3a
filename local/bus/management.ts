// `<entity>/$management`: one literal table of the operations the SDK asks for, each from its request to its response.

import { randomUUID } from "node:crypto";
import type { PropertyChanges } from "./application-properties.ts";
import { type Incoming, readIncoming } from "./encoded-message.ts";
import { lockToken } from "./lock-table.ts";
import type { Lock } from "./message.ts";
import type { Queue } from "./queue.ts";
import type { Response } from "./request-link.ts";
import { type DecodedMessage, types } from "./rhea-internals.ts";
import { MAX_MESSAGE_BYTES } from "./send-link.ts";
import type { Settlement } from "./settlement.ts";

const LONG = 0x81;
const TIMESTAMP = 0x83;
const RECEIVE_AND_DELETE = 0;

type Body = Readonly<Record<string, unknown>>;
type Operation = (queue: Queue, body: Body) => Response | Promise<Response>;

const OK: Response = { properties: { statusCode: 200, statusDescription: "OK" } };
const NO_CONTENT: Response = { properties: { statusCode: 204, statusDescription: "No Content" } };
const LOCK_LOST = refusal(
  410,
  "com.microsoft:message-lock-lost",
  "The lock supplied is invalid: it has expired or was settled before.",
);
const SESSION_LOST = refusal(410, "com.microsoft:session-lock-lost", "The session is not locked.");
const NOT_FOUND = refusal(
  404,
  "com.microsoft:message-not-found",
  "A message with this sequence number was not found or is held.",
);

function refusal(statusCode: number, errorCondition: string, statusDescription: string): Response {
  return { properties: { statusCode, errorCondition, statusDescription } };
}

function ok(body: unknown): Response {
  return { ...OK, body };
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  "com.microsoft:peek-message": peek,
  "com.microsoft:renew-lock": renewLock,
  "com.microsoft:schedule-message": schedule,
  "com.microsoft:cancel-scheduled-message": cancelScheduled,
  "com.microsoft:receive-by-sequence-number": receiveBySequence,
  "com.microsoft:update-disposition": updateDisposition,
  "com.microsoft:renew-session-lock": renewSessionLock,
  "com.microsoft:get-session-state": getSessionState,
  "com.microsoft:set-session-state": setSessionState,
  "com.microsoft:get-message-sessions": listSessions,
};

/** `queue` is undefined when it was deleted under an open link. */
export async function answerManagement(queue: Queue | undefined, request: DecodedMessage): Promise<Response> {
  if (!queue) return refusal(404, "amqp:not-found", "The messaging entity could not be found.");
  const name = String(request.application_properties?.["operation"]);
  const operation = OPERATIONS[name];
  if (!operation) return refusal(501, "amqp:not-implemented", `The operation ${name} is not implemented.`);
  return operation(queue, isBody(request.body) ? request.body : {});
}

function isBody(value: unknown): value is Body {
  return value !== null && typeof value === "object";
}

function peek(queue: Queue, body: Body): Response {
  const session = body["session-id"];
  const found = queue.peek(
    toNumber(body["from-sequence-number"]),
    toNumber(body["message-count"]),
    typeof session === "string" ? session : undefined,
  );
  if (found.length === 0) return NO_CONTENT;
  return ok({ messages: found.map((message) => ({ message: queue.encode(message, undefined) })) });
}

function renewLock(queue: Queue, body: Body): Response {
  const locks = findLocks(queue, body);
  if (!locks) return LOCK_LOST;
  return ok({
    expirations: types.wrap_array(
      locks.map((lock) => queue.renew(lock)),
      TIMESTAMP,
    ),
  });
}

async function schedule(queue: Queue, body: Body): Promise<Response> {
  if (!queue.deadLetter) return refusal(400, "amqp:not-allowed", "Nothing can be sent to a dead-letter queue.");
  let incoming: Incoming[];
  try {
    incoming = list(body["messages"]).map((entry) => {
      const bytes = isBody(entry) ? entry["message"] : undefined;
      return readIncoming(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0), randomUUID);
    });
  } catch {
    return refusal(400, "amqp:decode-error", "A message to be scheduled cannot be decoded.");
  }
  const size = incoming.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > MAX_MESSAGE_BYTES) {
    return refusal(
      403,
      "amqp:link:message-size-exceeded",
      `${size} bytes are above the limit of ${MAX_MESSAGE_BYTES}.`,
    );
  }
  return ok({ "sequence-numbers": types.wrap_array(await queue.send(incoming), LONG) });
}

async function cancelScheduled(queue: Queue, body: Body): Promise<Response> {
  return (await queue.cancelScheduled(sequences(body))) ? OK : NOT_FOUND;
}

async function receiveBySequence(queue: Queue, body: Body): Promise<Response> {
  const mode = toNumber(body["receiver-settle-mode"]) === RECEIVE_AND_DELETE ? "receiveAndDelete" : "peekLock";
  const received = await queue.receiveDeferred(sequences(body), mode);
  if (!received) return NOT_FOUND;
  return ok({ messages: received.map(({ bytes, lock }) => withToken(bytes, lock)) });
}

function withToken(message: Buffer, lock: Lock | undefined): object {
  return lock ? { message, "lock-token": types.wrap_uuid(lockToken(lock)) } : { message };
}

async function updateDisposition(queue: Queue, body: Body): Promise<Response> {
  const locks = findLocks(queue, body);
  if (!locks) return LOCK_LOST;
  const settlements = await Promise.all(locks.map((lock) => settle(queue, lock, body)));
  if (settlements.includes("lost")) return LOCK_LOST;
  return settlements.includes("refused")
    ? refusal(400, "amqp:not-allowed", "The disposition is not possible here.")
    : OK;
}

function settle(queue: Queue, lock: Lock, body: Body): Promise<Settlement> {
  const modified = body["properties-to-modify"];
  const changes: PropertyChanges = isBody(modified) ? modified : {};
  switch (body["disposition-status"]) {
    case "completed":
      return queue.settler.complete(lock);
    case "abandoned":
      return queue.settler.abandon(lock, changes);
    // Spelled so by the service and the SDK.
    case "defered":
      return queue.settler.defer(lock, changes);
    case "suspended":
      return queue.settler.moveToDeadLetter(lock, {
        ...changes,
        ...named("DeadLetterReason", body["deadletter-reason"]),
        ...named("DeadLetterErrorDescription", body["deadletter-description"]),
      });
    default:
      return Promise.resolve("refused");
  }
}

function renewSessionLock(queue: Queue, body: Body): Response {
  const until = queue.sessions?.renew(sessionId(body));
  return until === undefined ? SESSION_LOST : ok({ expiration: new Date(until) });
}

function getSessionState(queue: Queue, body: Body): Response {
  return queue.sessions ? ok({ "session-state": queue.sessions.state(sessionId(body)) ?? null }) : SESSION_LOST;
}

async function setSessionState(queue: Queue, body: Body): Promise<Response> {
  const state = body["session-state"];
  if (!queue.sessions || typeof body["session-id"] !== "string") return SESSION_LOST;
  await queue.sessions.setState(sessionId(body), Buffer.isBuffer(state) ? Buffer.from(state) : undefined);
  return OK;
}

function listSessions(queue: Queue, body: Body): Response {
  const skip = toNumber(body["skip"]);
  const ids = queue.sessions?.ids().slice(skip, skip + toNumber(body["top"])) ?? [];
  return ids.length === 0 ? NO_CONTENT : ok({ skip: skip + ids.length, "sessions-ids": ids });
}

function sessionId(body: Body): string {
  return String(body["session-id"]);
}

function named(name: string, value: unknown): PropertyChanges {
  return value === undefined || value === null ? {} : { [name]: value };
}

/** `undefined` if one of them is not held. */
function findLocks(queue: Queue, body: Body): Lock[] | undefined {
  const tokens = list(body["lock-tokens"]);
  const locks = tokens.map((token) => (Buffer.isBuffer(token) ? queue.findLock(token) : undefined));
  return locks.every((lock) => lock !== undefined) ? locks : undefined;
}

function sequences(body: Body): number[] {
  return list(body["sequence-numbers"]).map(toNumber);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** rhea gives longs beyond 2^53 as buffers; no sequence number is that large. */
function toNumber(value: unknown): number {
  return typeof value === "number" ? value : Number.MAX_SAFE_INTEGER;
}
