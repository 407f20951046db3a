// The locks of one queue, in the order in which they run out, and their tokens.
import { randomBytes } from "node:crypto";
import type { Lock, Message } from "../encoded/message.ts";

const TOKEN_BYTES = 16;
const HALF = 8;

// A lock dies with the broker: the random half makes tokens of an earlier life unknown.
const lifeOfBroker = randomBytes(HALF);
let lastNumber = 0;

export class LockTable {
  /** Insertion order is expiry order, as all locks of a queue last equally long and a renewal goes to the end. */
  readonly #locks = new Map<number, Lock>();

  grant(message: Message, until: number): Lock {
    lastNumber += 1;
    const lock = { number: lastNumber, message, until };
    this.#locks.set(lock.number, lock);
    message.lock = lock;
    return lock;
  }

  renew(lock: Lock, until: number): void {
    this.#locks.delete(lock.number);
    lock.until = until;
    this.#locks.set(lock.number, lock);
  }

  /** Ends the lock, unless it has run out or was ended before: then `false`. The message stays taken until its `lock` is cleared. */
  release(lock: Lock, now: number): boolean {
    return lock.until > now && this.#locks.delete(lock.number);
  }

  find(token: Buffer, now: number): Lock | undefined {
    if (token.length !== TOKEN_BYTES || !lifeOfBroker.equals(token.subarray(0, HALF))) return undefined;
    const lock = this.#locks.get(Number(token.readBigUInt64BE(HALF)));
    return lock && lock.until > now ? lock : undefined;
  }

  /** Ends the next lock that has run out. */
  takeExpired(now: number): Lock | undefined {
    for (const lock of this.#locks.values()) {
      if (lock.until > now) return undefined;
      this.#locks.delete(lock.number);
      return lock;
    }
    return undefined;
  }

  /** Ends the locks that `isMeant`. */
  takeWhere(isMeant: (lock: Lock) => boolean): Lock[] {
    const taken = [...this.#locks.values()].filter(isMeant);
    for (const lock of taken) this.#locks.delete(lock.number);
    return taken;
  }
}

/** RFC 4122 byte order, as `$management` carries it. */
export function lockToken(lock: Lock): Buffer {
  const token = Buffer.allocUnsafe(TOKEN_BYTES);
  lifeOfBroker.copy(token);
  token.writeBigUInt64BE(BigInt(lock.number), HALF);
  return token;
}

/** .NET byte order (first three groups reversed), as a delivery tag carries it. */
export function deliveryTag(lock: Lock): Buffer {
  const tag = lockToken(lock);
  tag.subarray(0, 4).reverse();
  tag.subarray(4, 6).reverse();
  tag.subarray(6, 8).reverse();
  return tag;
}
