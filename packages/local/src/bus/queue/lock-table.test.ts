import { expect, test } from "vitest";
import { ACTIVE, type Message } from "../encoded/message.ts";
import { deliveryTag, LockTable, lockToken } from "./lock-table.ts";

function message(sequence: number): Message {
  return {
    sequence,
    state: ACTIVE,
    deliveryCount: 0,
    enqueuedAt: 0,
    ttlMs: undefined,
    expiresAt: Number.POSITIVE_INFINITY,
    dueAt: 0,
    sessionId: undefined,
    enqueuedSequence: undefined,
    hops: 0,
    deadLetterSource: undefined,
    bytes: undefined,
    lock: undefined,
    gone: false,
  };
}

test("a lock is found by its token until it runs out, and a token of another life of the broker never", () => {
  const locks = new LockTable();
  const lock = locks.grant(message(1), 100);
  const token = lockToken(lock);
  expect(locks.find(token, 99)).toBe(lock);
  expect(locks.find(token, 100)).toBeUndefined();
  const stranger = Buffer.from(token);
  stranger.writeUInt8(stranger.readUInt8(0) ^ 1, 0);
  expect(locks.find(stranger, 0)).toBeUndefined();
  expect(locks.find(Buffer.alloc(3), 0)).toBeUndefined();
});

test("locks run out in their order, a renewed one last, and each ends once", () => {
  const locks = new LockTable();
  const [first, second] = [locks.grant(message(1), 10), locks.grant(message(2), 20)];
  locks.renew(first, 30);
  expect(locks.takeExpired(19)).toBeUndefined();
  expect(locks.takeExpired(25)).toBe(second);
  expect(locks.takeExpired(25)).toBeUndefined();
  expect(locks.release(second, 0)).toBe(false);
  expect(locks.release(first, 30)).toBe(false);
  expect(locks.release(first, 29)).toBe(true);
  expect(locks.release(first, 29)).toBe(false);
});

test("a delivery tag is the token with its first three groups reversed", () => {
  const lock = new LockTable().grant(message(1), 10);
  const [token, tag] = [lockToken(lock), deliveryTag(lock)];
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  expect([...tag]).toEqual(order.map((index) => token[index]));
});
