// `<entity>/$management`: one literal table of the operations that clients ask for, each from its request to its response.
import { randomUUID } from "node:crypto";
import { type Incoming, MessageFault, readIncoming, withoutBody } from "../encoded/encoded-message.ts";
import type { Lock } from "../encoded/message.ts";
import type { PropertyChanges } from "../encoded/message-changes.ts";
import { BUS_LIMITS } from "../limits.ts";
import { lockToken } from "../queue/lock-table.ts";
import type { Queue } from "../queue/queue.ts";
import type { Settlement } from "../queue/settlement.ts";
import { type DecodedMessage, types } from "../rhea-internals.ts";
import { findRequestRefusal } from "./link-refusals.ts";
import {
  type Body,
  isBody,
  list,
  type ManagementTarget,
  NO_CONTENT,
  OK,
  type Operation,
  OUT_OF_RANGE,
  ok,
  refusal,
  SESSION_LOST,
  toNumber,
} from "./management-answers.ts";
import { deleteMessages } from "./management-deletion.ts";
import type { Response } from "./request-link.ts";
import { MAX_MESSAGE_BYTES } from "./send-link.ts";

const LONG = 0x81;
const TIMESTAMP = 0x83;
const RECEIVE_AND_DELETE = 0;

const LOCK_LOST = refusal(
  410,
  "com.microsoft:message-lock-lost",
  "The message is not locked any more: its lock has expired, or it was settled before.",
);
const NOT_FOUND = refusal(
  404,
  "com.microsoft:message-not-found",
  "A message with this sequence number was not found or is held.",
);

/** What each operation does to the entity: one that is disabled for it refuses. */
const OPERATIONS: Readonly<Record<string, readonly [use: "send" | "receive" | "look", operation: Operation]>> = {
  "com.microsoft:peek-message": ["look", peek],
  "com.microsoft:renew-lock": ["receive", renewLock],
  "com.microsoft:schedule-message": ["send", schedule],
  "com.microsoft:cancel-scheduled-message": ["send", cancelScheduled],
  "com.microsoft:receive-by-sequence-number": ["receive", receiveBySequence],
  "com.microsoft:update-disposition": ["receive", updateDisposition],
  "com.microsoft:batch-delete-messages": ["receive", deleteMessages],
  "com.microsoft:renew-session-lock": ["receive", renewSessionLock],
  "com.microsoft:get-session-state": ["receive", getSessionState],
  "com.microsoft:set-session-state": ["receive", setSessionState],
  "com.microsoft:get-message-sessions": ["look", listSessions],
};

/** @param target undefined when the entity was deleted under an open link. */
export async function answerManagement(
  target: ManagementTarget | undefined,
  request: DecodedMessage,
): Promise<Response> {
  if (!target) return refusal(404, "amqp:not-found", "The messaging entity could not be found.");
  const name = String(request.application_properties?.["operation"]);
  const [use, operation] = Object.hasOwn(OPERATIONS, name) ? (OPERATIONS[name] ?? []) : [];
  if (!operation) return refusal(501, "amqp:not-implemented", `The operation ${name} is not implemented.`);
  const obstacle = use === "send" || use === "receive" ? findRequestRefusal(target.queue, use) : undefined;
  if (obstacle) return refusal(400, obstacle.condition, obstacle.description);
  return operation(target, isBody(request.body) ? request.body : {});
}

async function peek({ queue }: ManagementTarget, body: Body): Promise<Response> {
  const session = body["session-id"];
  const found = queue.peek(
    toNumber(body["from-sequence-number"]),
    Math.min(toNumber(body["message-count"]), BUS_LIMITS.peekedMessages.value),
    typeof session === "string" ? session : undefined,
  );
  if (found.length === 0) return NO_CONTENT;
  const isWhole = body["omit-message-body"] !== true;
  const encoded = found.map((message) => queue.encode(message, undefined));
  // Bytes that are only in the store are read as a settlement under way has left them.
  await queue.flushed();
  return ok({ messages: encoded.map((message) => ({ message: isWhole ? message : withoutBody(message) })) });
}

function renewLock({ queue }: ManagementTarget, body: Body): Response {
  const locks = findLocks(queue, body);
  if (!locks) return LOCK_LOST;
  return ok({
    expirations: types.wrap_array(
      locks.map((lock) => queue.renew(lock)),
      TIMESTAMP,
    ),
  });
}

async function schedule({ queue, catalog }: ManagementTarget, body: Body): Promise<Response> {
  let incoming: Incoming[];
  try {
    incoming = list(body["messages"]).map((entry) => {
      const bytes = isBody(entry) ? entry["message"] : undefined;
      return readIncoming(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0), randomUUID);
    });
  } catch (cause) {
    if (cause instanceof MessageFault) return refusal(400, cause.condition, cause.message);
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
  const full = catalog.sizeFault(queue);
  if (full !== undefined) return refusal(403, "amqp:resource-limit-exceeded", full);
  if (queue.settings.requiresSession && incoming.some(({ sessionId }) => sessionId === undefined)) {
    return refusal(400, "amqp:not-allowed", `The queue ${queue.name} requires a session id on every message.`);
  }
  return ok({ "sequence-numbers": types.wrap_array(await queue.send(incoming), LONG) });
}

async function cancelScheduled({ queue }: ManagementTarget, body: Body): Promise<Response> {
  return (await queue.cancelScheduled(sequences(body))) ? OK : NOT_FOUND;
}

async function receiveBySequence({ queue }: ManagementTarget, body: Body): Promise<Response> {
  const mode = toNumber(body["receiver-settle-mode"]) === RECEIVE_AND_DELETE ? "receiveAndDelete" : "peekLock";
  const received = await queue.receiveDeferred(sequences(body), mode);
  if (!received) return NOT_FOUND;
  return ok({ messages: received.map(({ bytes, lock }) => withToken(bytes, lock)) });
}

function withToken(message: Buffer, lock: Lock | undefined): object {
  return lock ? { message, "lock-token": types.wrap_uuid(lockToken(lock)) } : { message };
}

async function updateDisposition({ queue }: ManagementTarget, body: Body): Promise<Response> {
  const locks = findLocks(queue, body);
  if (!locks) return LOCK_LOST;
  for (const lock of locks) {
    const wrong = queue.settler.changeFault(lock, changesOf(body));
    if (wrong) return refusal(400, wrong.condition, wrong.message);
  }
  const settlements = await Promise.all(locks.map((lock) => settle(queue, lock, body)));
  if (settlements.includes("lost")) return LOCK_LOST;
  return settlements.includes("refused")
    ? refusal(400, "amqp:not-allowed", "The disposition is not possible here.")
    : OK;
}

function settle(queue: Queue, lock: Lock, body: Body): Promise<Settlement> {
  const changes = changesOf(body);
  switch (body["disposition-status"]) {
    case "completed":
      return queue.settler.complete(lock);
    case "abandoned":
      return queue.settler.abandon(lock, changes);
    // Spelled so by the service and the SDK.
    case "defered":
      return queue.settler.defer(lock, changes);
    case "suspended":
      return queue.settler.moveToDeadLetter(lock, changes);
    default:
      return Promise.resolve("refused");
  }
}

function changesOf(body: Body): PropertyChanges {
  const modified = body["properties-to-modify"];
  const changes: PropertyChanges = isBody(modified) ? modified : {};
  if (body["disposition-status"] !== "suspended") return changes;
  return {
    ...changes,
    ...named("DeadLetterReason", body["deadletter-reason"]),
    ...named("DeadLetterErrorDescription", body["deadletter-description"]),
  };
}

function renewSessionLock({ queue }: ManagementTarget, body: Body): Response {
  const until = queue.sessions?.renew(sessionId(body));
  return until === undefined ? SESSION_LOST : ok({ expiration: new Date(until) });
}

function getSessionState({ queue }: ManagementTarget, body: Body): Response {
  return queue.sessions ? ok({ "session-state": queue.sessions.state(sessionId(body)) ?? null }) : SESSION_LOST;
}

async function setSessionState({ queue }: ManagementTarget, body: Body): Promise<Response> {
  const state = body["session-state"];
  if (!queue.sessions || typeof body["session-id"] !== "string") return SESSION_LOST;
  const { value: most } = BUS_LIMITS.sessionStateBytes;
  if (Buffer.isBuffer(state) && state.length > most) {
    return refusal(400, OUT_OF_RANGE, `The state of a session has ${most} bytes at most, not ${state.length}.`);
  }
  await queue.sessions.setState(sessionId(body), Buffer.isBuffer(state) ? Buffer.from(state) : undefined);
  return OK;
}

function listSessions({ queue }: ManagementTarget, body: Body): Response {
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
