// What an operator does with a dead letter, over queues in memory: the order of effects, and what the ledger is told.
import { beforeEach, describe, expect, test } from "vitest";
import type { DeadLetterRequest } from "../../shared/messaging/dead-letter-request.ts";
import { parseDeadLetterRequest } from "../../shared/messaging/dead-letter-request.ts";
import type { DeadLetter, DeadLetters, Taken, TakenDeadLetter } from "../../shared/messaging/dead-letters.ts";
import { deadLetterQueuesOf } from "../../shared/messaging/dead-letters.ts";
import { countDeadLetters } from "../../shared/operations/count-dead-letters.ts";
import { type Handled, handleDeadLetter } from "../../shared/operations/handle-dead-letter.ts";
import type { SupervisionLog } from "../../shared/supervision/supervision-log.ts";
import { NOON_MS } from "../support/orders.ts";
import { createWorld, type World } from "../support/world.ts";

const queues = deadLetterQueuesOf({
  consumed: ["orders", "scheduler", "agent-replies"],
  quarantine: "quarantine",
  orders: "orders",
  agentReplies: "agent-replies",
});
const [queue] = queues;
const body = { kind: "json", json: { lines: [], order: { paymentToken: "tok_visa" } } };
const message = { orderId: "order-1", messageId: "m-1", subject: "wake", body } as unknown as DeadLetter;

let world: World;
/** What was done, in order. */
let done: string[];
let letter: TakenDeadLetter;
let taken: Taken<undefined>;
beforeEach(() => {
  world = createWorld(NOON_MS);
  done = [];
  taken = { kind: "taken", value: undefined };
  letter = {
    message,
    target: "orders",
    async resend(correction) {
      done.push(correction ? `sent ${JSON.stringify(correction.body)}` : "sent");
      return { kind: "sent", messageId: "resent-7" };
    },
    async complete() {
      done.push("completed");
      return true;
    },
  };
});

const deadLetters: DeadLetters = {
  queues,
  count: async ({ name }) => {
    if (name === "scheduler") throw new Error("away");
    return { count: 2, isAll: true };
  },
  page: async () => ({ messages: [] }),
  read: async () => undefined,
  take: async (_queue, _number, work) =>
    taken.kind === "taken" ? { kind: "taken", value: await work(letter) } : taken,
};

async function handle(request: Partial<DeadLetterRequest>, ledger: Partial<SupervisionLog> = {}): Promise<Handled> {
  if (!queue) throw new Error("no queue");
  const supervision: SupervisionLog = {
    ...world.supervision,
    async operatorAction(entry) {
      done.push(`ledger: ${entry.outcome}`);
      return world.supervision.operatorAction(entry);
    },
    ...ledger,
  };
  const asked = { action: "resend", reason: "mended", ...request } as const;
  return handleDeadLetter(queue, "7", asked, "ada", { ...world, supervision, deadLetters }, world.telemetry);
}

const unwritable: Partial<SupervisionLog> = {
  async operatorAction() {
    throw new Error("the ledger is away");
  },
};

describe("resend", () => {
  test("it is sent before the original is removed, and then on record", async () => {
    expect(await handle({})).toEqual({ kind: "resent", target: "orders", messageId: "resent-7", removed: true });
    expect(done).toEqual(["sent", "completed", "ledger: resent to orders as resent-7"]);
    const entries = [];
    for await (const entry of world.supervision.entries("2026-01-01", "order-1")) entries.push(entry);
    expect(entries).toMatchObject([
      {
        action: "resendDeadLetter",
        operator: "ada",
        reason: "mended",
        message: { queue: "orders", sequenceNumber: "7", messageId: "m-1", subject: "wake" },
      },
    ]);
    expect(world.events).toMatchObject([
      { name: "OperatorActed", attributes: { orderId: "order-1", operator: "ada" } },
    ]);
  });

  test("with another body", async () => {
    await handle({ correction: { body: null } });
    expect(done).toEqual(["sent null", "completed", "ledger: resent to orders as resent-7, with another body"]);
  });

  test("with another body in which the payment token was left hidden: it is the original's", async () => {
    await handle({ correction: { body: { order: { paymentToken: "(hidden)" }, lines: ["(hidden)"] } } });
    expect(done[0]).toBe('sent {"order":{"paymentToken":"tok_visa"},"lines":["(hidden)"]}');
  });

  test("P16 its lock was lost: it is sent, and said to be still there", async () => {
    letter = { ...letter, complete: async () => false };
    expect(await handle({})).toMatchObject({ kind: "resent", removed: false });
    expect(done).toEqual(["sent", "ledger: resent to orders as resent-7; the original is still there"]);
  });

  test("P16 the bus refuses it: the original stays, and the ledger says so", async () => {
    letter = { ...letter, resend: async () => Promise.reject(new Error("bus down")) };
    await expect(handle({})).rejects.toThrow("bus down");
    expect(done).toEqual(["ledger: failed: Error: bus down"]);
    letter = { ...letter, resend: async () => ({ kind: "too-large" }) };
    expect(await handle({})).toEqual({ kind: "refused", reason: "it is larger than orders takes" });
    expect(done).not.toContain("completed");
  });

  test("a ledger that can't be written stops it not: the message is not lost", async () => {
    expect(await handle({}, unwritable)).toMatchObject({ kind: "resent", removed: true });
    expect(world.eventNames()).toContain("LedgerUnwritten");
  });
});

describe("discard", () => {
  test("it is on record before it is removed", async () => {
    expect(await handle({ action: "discard" })).toEqual({ kind: "discarded" });
    expect(done).toEqual(["ledger: discarded", "completed"]);
  });

  test("what can't be put on record is not removed", async () => {
    expect(await handle({ action: "discard" }, unwritable)).toMatchObject({ kind: "refused" });
    expect(done).toEqual([]);
  });

  test("its lock was lost: it is still there, and the ledger says so", async () => {
    letter = { ...letter, complete: async () => false };
    expect(await handle({ action: "discard" })).toMatchObject({ kind: "refused" });
    expect(done).toEqual(["ledger: discarded", "ledger: not discarded: its lock was lost"]);
  });
});

test.each([
  [{ kind: "in-use" }, "try again"],
  [{ kind: "too-deep", before: 1000 }, "more than 1000"],
] as const)("one that can't be locked is refused, on record: %o", async (answer, words) => {
  taken = answer;
  expect(await handle({})).toEqual({ kind: "refused", reason: expect.stringContaining(words) });
  expect(done).toEqual([expect.stringContaining(words)]);
});

test("one that is not there", async () => {
  taken = { kind: "not-found" };
  expect(await handle({})).toEqual({ kind: "not-found" });
});

test("a queue that can't be counted hides no other", async () => {
  expect(await countDeadLetters(deadLetters)).toEqual([
    { queue: "orders", count: 2, isAll: true },
    { queue: "scheduler", error: "Error: away" },
    { queue: "agent-replies", count: 2, isAll: true },
    { queue: "quarantine", count: 2, isAll: true },
    { queue: "quarantine-dead-letters", count: 2, isAll: true },
  ]);
});

test("each message has a queue that it goes back to", () => {
  const targets = queues.map(({ resendTo }) => ["InvalidOrder", "InvalidReply", undefined].map(resendTo));
  expect(targets).toEqual([
    ["orders", "orders", "orders"],
    ["scheduler", "scheduler", "scheduler"],
    ["agent-replies", "agent-replies", "agent-replies"],
    ["orders", "agent-replies", "orders"],
    ["orders", "agent-replies", "orders"],
  ]);
});

test.each([
  ["resend", "[]", "the body"],
  ["resend", "{", "the body"],
  ["resend", '{"body":{}}', "reason: is missing"],
  ["discard", '{"reason":"r","body":{}}', 'has no "body"'],
] as const)("%s %s: the fault is named", (action, text, fault) => {
  expect(parseDeadLetterRequest(action, text)).toEqual({
    kind: "invalid",
    faults: [expect.stringContaining(fault)],
  });
});

test("a body that is null is a body", () => {
  const parsed = parseDeadLetterRequest("resend", '{"reason":"r","body":null}');
  expect(parsed).toMatchObject({ kind: "valid", value: { correction: { body: null } } });
  expect(parseDeadLetterRequest("resend", '{"reason":"r"}')).toEqual({
    kind: "valid",
    value: { action: "resend", reason: "r" },
  });
});
