// What an operator does with a dead letter, over queues in memory: the order of effects, and what the audit log gets.

import type { AuditLog } from "@scheduler-agent-supervisor/core/store";
import { beforeEach, describe, expect, test } from "vitest";
import { NOON_MS } from "../../../core/tests/jobs.ts";
import { createWorld, type World } from "../../../core/tests/world.ts";
import type { DiscardedCopy, MessageCopy } from "../../src/domain/message-copy.ts";
import { type DeadLetterRequest, parseDeadLetterRequest } from "../../src/messaging/dead-letter-request.ts";
import {
  type DeadLetterSummary,
  type DeadLetters,
  deadLetterQueuesOf,
  type Edit,
  type ReadDeadLetter,
  type Taken,
  type TakenDeadLetter,
} from "../../src/messaging/dead-letters.ts";
import { countDeadLetters } from "../../src/operations/count-dead-letters.ts";
import { resendDiscarded } from "../../src/operations/discarded-messages.ts";
import { type Handled, handleDeadLetter } from "../../src/operations/handle-dead-letter.ts";
import { type DiscardedStore, discardedId } from "../../src/store/discarded-store.ts";

const queues = deadLetterQueuesOf({
  consumed: ["jobs", "scheduler", "agent-replies"],
  quarantine: "quarantine",
  jobs: "jobs",
  agentReplies: "agent-replies",
});
const [queue] = queues;
const body = { kind: "json", json: { lines: [], job: { paymentToken: "tok_visa" } } };
const message = { jobId: "job-1", messageId: "m-1", subject: "repeatStart", body } as unknown as ReadDeadLetter;

const ID = discardedId("jobs", "7");
const copy = { sequenceNumber: "7" } as unknown as MessageCopy;
const copies = new Map<string, DiscardedCopy>();
/** What keeping a copy comes to. */
const discarded: DiscardedStore = {
  async keep(one) {
    done.push("kept");
    copies.set(one.id, one);
    return "kept";
  },
  page: async () => ({ discarded: [...copies.values()] }),
  read: async (id) => copies.get(id),
  async remove(id) {
    done.push("copy removed");
    copies.delete(id);
  },
  eraseOf: async () => undefined,
};

let world: World;
/** What was done, in order. */
let done: string[];
let letter: TakenDeadLetter;
let taken: Taken<undefined>;
beforeEach(() => {
  world = createWorld(NOON_MS);
  done = [];
  taken = { kind: "taken", value: undefined };
  copies.clear();
  letter = {
    message,
    copy,
    target: "jobs",
    async resend(correction) {
      done.push(correction ? `sent ${JSON.stringify(correction.body)}` : "sent");
      return { kind: "sent", target: "jobs", messageId: "resent-7" };
    },
    async complete() {
      done.push("completed");
      return true;
    },
  };
});

const WITHOUT_IDS = { jobId: null, messageId: null, correlationId: null };

const deadLetters: DeadLetters = {
  queues,
  all: async ({ name }) => {
    if (name === "scheduler") throw new Error("away");
    const at = (minute: number) => `2026-01-31T12:0${minute}:00.000Z`;
    const later = { ...WITHOUT_IDS, reason: "job 17 is unknown", description: null, enqueuedAt: at(2) };
    const messages = [later, { ...later, reason: "job 4 is unknown", enqueuedAt: at(1) }];
    return { messages: messages as unknown as DeadLetterSummary[], isAll: true };
  },
  page: async () => ({ messages: [] }),
  read: async () => undefined,
  take: async (_queue, _number, work) =>
    taken.kind === "taken" ? { kind: "taken", value: await work(letter) } : taken,
  summaryOf: () => message,
  letterOf: () => message,
  async resend(_queue, _copy, correction) {
    const sent = await letter.resend(correction);
    return { ...sent, target: "jobs" };
  },
};

async function handle(
  request: Partial<DeadLetterRequest>,
  auditLog: Partial<AuditLog> = {},
  store = discarded,
): Promise<Handled> {
  if (!queue) throw new Error("no queue");
  const supervision: AuditLog = {
    ...world.supervision,
    async operatorAction(entry) {
      done.push(`audit log: ${entry.outcome}`);
      return world.supervision.operatorAction(entry);
    },
    ...auditLog,
  };
  const asked = { action: "resend", reason: "fixed", ...request } as const;
  return handleDeadLetter(queue, "7", asked, "ada", { ...world, supervision, deadLetters, discarded: store });
}

const unwritable: Partial<AuditLog> = {
  async operatorAction() {
    throw new Error("the audit log is away");
  },
};

describe("resend", () => {
  test("it is sent before the original is removed, and then on record", async () => {
    expect(await handle({})).toEqual({ kind: "resent", target: "jobs", messageId: "resent-7", removed: true });
    expect(done).toEqual(["sent", "completed", "audit log: resent to jobs as resent-7"]);
    const entries = [];
    for await (const entry of world.supervision.entries("2026-01-01", "job-1")) entries.push(entry);
    expect(entries).toMatchObject([
      {
        action: "resendDeadLetter",
        operator: "ada",
        reason: "fixed",
        message: { queue: "jobs", sequenceNumber: "7", messageId: "m-1", subject: "repeatStart" },
      },
    ]);
    expect(world.events).toMatchObject([{ name: "OperatorActed", attributes: { jobId: "job-1", operator: "ada" } }]);
  });

  test("with another body", async () => {
    await handle({ edit: { body: null } });
    expect(done).toEqual(["sent null", "completed", "audit log: resent to jobs as resent-7, with another body"]);
  });

  test("with a patch: what it does not name stays, seen or not", async () => {
    await handle({ edit: { patch: { lines: [2] } } });
    expect(done[0]).toBe('sent {"lines":[2],"job":{"paymentToken":"tok_visa"}}');
  });

  test.each([{ body: { job: { paymentToken: "(hidden)" } } }, { patch: { lines: ["(hidden)"] } }])(
    "%j is rejected: what stands for a hidden value is none",
    async (edit) => {
      expect(await handle({ edit })).toMatchObject({ kind: "rejected", reason: expect.stringContaining("as a patch") });
      expect(done).toEqual([expect.stringContaining("audit log: rejected")]);
    },
  );

  test("P16 its lock was lost: it is sent, and said to be still there", async () => {
    letter = { ...letter, complete: async () => false };
    expect(await handle({})).toMatchObject({ kind: "resent", removed: false });
    expect(done).toEqual(["sent", "audit log: resent to jobs as resent-7; the original is still there"]);
  });

  test("P16 the bus rejects it: the original stays, and the audit log says so", async () => {
    letter = { ...letter, resend: async () => Promise.reject(new Error("bus down")) };
    await expect(handle({})).rejects.toThrow("bus down");
    expect(done).toEqual(["audit log: failed: Error: bus down"]);
    letter = { ...letter, resend: async () => ({ kind: "rejected", reason: "it is larger than jobs takes" }) };
    expect(await handle({})).toEqual({ kind: "rejected", reason: "it is larger than jobs takes" });
    expect(done).not.toContain("completed");
  });

  test("an audit log that can't be written stops it not: the message is not lost", async () => {
    expect(await handle({}, unwritable)).toMatchObject({ kind: "resent", removed: true });
    expect(world.eventNames()).toContain("AuditLogUnwritten");
  });
});

describe("discard", () => {
  test("a copy is kept and it is on record before it is removed", async () => {
    const keptUntil = new Date(NOON_MS + 14 * 86_400_000).toISOString();
    expect(await handle({ action: "discard" })).toEqual({ kind: "discarded", id: ID, keptUntil });
    expect(done).toEqual(["kept", "audit log: discarded", "completed"]);
    expect([...copies.values()]).toMatchObject([
      { id: ID, queue: "jobs", by: "ada", why: "fixed", keptUntil, jobId: "job-1", copy },
    ]);
  });

  test("what no copy can be kept of is not removed", async () => {
    const keep = async () => "too-large" as const;
    expect(await handle({ action: "discard" }, {}, { ...discarded, keep })).toMatchObject({ kind: "rejected" });
    expect(done).toEqual(["audit log: rejected: no copy of it can be kept: it is larger than the store takes"]);
  });

  test("what can't be put on record is not removed", async () => {
    expect(await handle({ action: "discard" }, unwritable)).toMatchObject({ kind: "rejected" });
    expect(done).toEqual(["kept", "copy removed"]);
  });

  test("its lock was lost: it is still there, and the audit log says so", async () => {
    letter = { ...letter, complete: async () => false };
    expect(await handle({ action: "discard" })).toMatchObject({ kind: "rejected" });
    expect(done).toEqual([
      "kept",
      "audit log: discarded",
      "audit log: not discarded: its lock was lost",
      "copy removed",
    ]);
  });
});

describe("what was discarded", () => {
  const resend = (edit?: Edit, id = ID) => {
    const asked = { reason: "it was wanted", ...(edit && { edit }) };
    return resendDiscarded(id, asked, "bob", { ...world, deadLetters, discarded });
  };
  beforeEach(async () => {
    await handle({ action: "discard" });
    done = [];
  });

  test("is sent again, corrected, before its copy goes; once", async () => {
    expect(await resend({ body: { job: { paymentToken: "(hidden)" } } })).toMatchObject({ kind: "rejected" });
    expect(await resend({ patch: { lines: [1] } })).toEqual({ kind: "resent", target: "jobs", messageId: "resent-7" });
    expect(done).toEqual(['sent {"lines":[1],"job":{"paymentToken":"tok_visa"}}', "copy removed"]);
    expect(world.events.at(-1)).toMatchObject({ attributes: { action: "resendDiscarded", operator: "bob" } });
    expect(await resend()).toEqual({ kind: "not-found" });
  });

  test("stays where its queue is gone, or the message is too large", async () => {
    letter = { ...letter, resend: async () => ({ kind: "rejected", reason: "it is larger than jobs takes" }) };
    expect(await resend()).toEqual({ kind: "rejected", reason: "it is larger than jobs takes" });
    const [kept] = copies.values();
    if (kept) copies.set("elsewhere", { ...kept, queue: "jobs-east" });
    expect(await resend(undefined, "elsewhere")).toMatchObject({ kind: "rejected" });
    expect(copies.size).toBe(2);
  });
});

test.each([
  [{ kind: "in-use" }, "try again"],
  [{ kind: "too-deep", before: 1000 }, "more than 1000"],
] as const)("one that can't be locked is rejected, on record: %o", async (answer, words) => {
  taken = answer;
  expect(await handle({})).toEqual({ kind: "rejected", reason: expect.stringContaining(words) });
  expect(done).toEqual([expect.stringContaining(words)]);
});

test("one that is not there", async () => {
  taken = { kind: "not-found" };
  expect(await handle({})).toEqual({ kind: "not-found" });
});

test("a queue that can't be counted hides no other", async () => {
  const oldestAt = "2026-01-31T12:01:00.000Z";
  const causes = [{ cause: "job 17 is unknown", count: 2, oldestAt }];
  expect(await countDeadLetters(deadLetters)).toEqual([
    { queue: "jobs", count: 2, isAll: true, oldestAt, causes },
    { queue: "scheduler", error: "Error: away" },
    { queue: "agent-replies", count: 2, isAll: true, oldestAt, causes },
    { queue: "quarantine", count: 2, isAll: true, oldestAt, causes },
    { queue: "quarantine-dead-letters", count: 2, isAll: true, oldestAt, causes },
  ]);
});

test("the five most frequent causes of a queue are shown, the rest and those without a reason as one", async () => {
  const reasons = [..."aabbccddeef", ""].map((letter, at) => ({
    ...{ ...WITHOUT_IDS, reason: letter && `${letter} is wrong`, description: null },
    enqueuedAt: at === 0 ? null : `2026-01-31T12:00:${at + 10}.000Z`,
  }));
  const messages = reasons as unknown as DeadLetterSummary[];
  const all = async () => ({ messages, isAll: false });
  const [counted] = await countDeadLetters({
    ...deadLetters,
    queues: queues.slice(0, 1),
    all,
  });
  if (!counted || "error" in counted) throw new Error("not counted");
  expect(counted.causes.map(({ cause, count }) => [cause, count])).toEqual([
    ...["a", "b", "c", "d", "e"].map((letter) => [`${letter} is wrong`, 2]),
    [null, 2],
  ]);
  expect(counted).toMatchObject({ count: 12, isAll: false, oldestAt: "2026-01-31T12:00:11.000Z" });
});

test("each message has a queue that it goes back to", () => {
  const targets = queues.map(({ resendTo }) => ["InvalidSubmission", "InvalidReply", undefined].map(resendTo));
  expect(targets).toEqual([
    ["jobs", "jobs", "jobs"],
    ["scheduler", "scheduler", "scheduler"],
    ["agent-replies", "agent-replies", "agent-replies"],
    ["jobs", "agent-replies", "jobs"],
    ["jobs", "agent-replies", "jobs"],
  ]);
  // The store may have refused a message of any queue.
  expect(queues[3]?.resendTo("NotStorable", "scheduler")).toBe("scheduler");
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
  expect(parsed).toMatchObject({ kind: "valid", value: { edit: { body: null } } });
  expect(parseDeadLetterRequest("resend", '{"reason":"r"}')).toEqual({
    kind: "valid",
    value: { action: "resend", reason: "r" },
  });
});
