// Writes a message as it is delivered: the broker's header and annotations before the sender's bytes, which are never re-encoded.
import { DELIVERY_ANNOTATIONS, type Front, HEADER, MESSAGE_ANNOTATIONS, readFront } from "./encoded-message.ts";
import type { MessageState } from "./message.ts";

/** What the broker says about a message it delivers. */
interface DeliveryFacts {
  readonly deliveryCount: number;
  readonly ttlMs: number | undefined;
  readonly enqueuedAt: number;
  readonly sequence: number;
  /** The first that the message had, in the entity that it was sent to. */
  readonly enqueuedSequence: number;
  readonly state: MessageState;
  readonly lockedUntil: number | undefined;
  readonly deadLetterSource: string | undefined;
  /** Only where there is no delivery tag that says it: in an answer of `$management`. */
  readonly lockToken?: Buffer | undefined;
}

const UINT_MAX = 0xffff_ffff;
const KEYS = {
  enqueuedAt: symbol("x-opt-enqueued-time"),
  lockedUntil: symbol("x-opt-locked-until"),
  sequence: symbol("x-opt-sequence-number"),
  enqueueSequence: symbol("x-opt-enqueue-sequence-number"),
  state: symbol("x-opt-message-state"),
  deadLetterSource: symbol("x-opt-deadletter-source"),
  lockToken: symbol("x-opt-lock-token"),
};

function symbol(name: string): Buffer {
  return Buffer.concat([Buffer.from([0xa3, name.length]), Buffer.from(name, "ascii")]);
}

const FIXED_ROOM = 512;
const SOURCE_ROOM = 1100;

/** The message to put on the wire: our header and annotations, the sender's annotations, and the rest byte for byte. */
export function encodeDelivery(bytes: Buffer, facts: DeliveryFacts): Buffer {
  const front = readFront(bytes);
  const room = FIXED_ROOM + SOURCE_ROOM + front.flags.length + front.annotations.length;
  const out = Buffer.allocUnsafe(room + bytes.length - front.rest);
  let at = writeHeader(out, front, facts);
  if (facts.lockToken) at = writeLockToken(out, at, facts.lockToken);
  const map = at;
  out[at++] = 0x00;
  out[at++] = 0x53;
  out[at++] = MESSAGE_ANNOTATIONS;
  out[at++] = 0xd1;
  const sizeAt = at;
  let items = front.annotationItems + 6;
  at = writeLong(out, at + 8, KEYS.enqueuedAt, 0x83, facts.enqueuedAt);
  at = writeLong(out, at, KEYS.sequence, 0x81, facts.sequence);
  at = writeLong(out, at, KEYS.enqueueSequence, 0x81, facts.enqueuedSequence);
  if (facts.lockedUntil !== undefined) {
    at = writeLong(out, at, KEYS.lockedUntil, 0x83, facts.lockedUntil);
    items += 2;
  }
  if (facts.state !== 0) {
    at += KEYS.state.copy(out, at);
    out[at++] = 0x54;
    out[at++] = facts.state;
    items += 2;
  }
  if (facts.deadLetterSource !== undefined) {
    at += KEYS.deadLetterSource.copy(out, at);
    out[at++] = 0xb1;
    const length = out.write(facts.deadLetterSource, at + 4, SOURCE_ROOM - 100);
    at = out.writeUInt32BE(length, at) + length;
    items += 2;
  }
  at += front.annotations.copy(out, at);
  out.writeUInt32BE(at - sizeAt - 4, sizeAt);
  out.writeUInt32BE(items, map + 8);
  at += bytes.copy(out, at, front.rest);
  return out.subarray(0, at);
}

function writeHeader(out: Buffer, { flags, firstAcquirer }: Front, facts: DeliveryFacts): number {
  let at = 0;
  out[at++] = 0x00;
  out[at++] = 0x53;
  out[at++] = HEADER;
  out[at++] = 0xc0;
  const sizeAt = at++;
  out[at++] = 5;
  at += flags.copy(out, at);
  if (facts.ttlMs !== undefined && facts.ttlMs <= UINT_MAX) {
    out[at++] = 0x70;
    at = out.writeUInt32BE(facts.ttlMs, at);
  } else {
    out[at++] = 0x40;
  }
  at += firstAcquirer.copy(out, at);
  out[at++] = 0x70;
  at = out.writeUInt32BE(facts.deliveryCount, at);
  out[sizeAt] = at - sizeAt - 1;
  return at;
}

/** A section of its own: Python's client looks for the token among the delivery annotations. */
function writeLockToken(out: Buffer, start: number, token: Buffer): number {
  let at = start;
  out[at++] = 0x00;
  out[at++] = 0x53;
  out[at++] = DELIVERY_ANNOTATIONS;
  out[at++] = 0xc1;
  out[at++] = 1 + KEYS.lockToken.length + 1 + token.length;
  out[at++] = 2;
  at += KEYS.lockToken.copy(out, at);
  out[at++] = 0x98;
  return at + token.copy(out, at);
}

function writeLong(out: Buffer, start: number, key: Buffer, type: number, value: number): number {
  let at = start + key.copy(out, start);
  out[at++] = type;
  at = out.writeUInt32BE(Math.floor(value / 2 ** 32), at);
  return out.writeUInt32BE(value >>> 0, at);
}
