// The overview's first line: well only if nothing at all is wrong.
import { expect, test } from "vitest";
import { verdictLines } from "./verdict.ts";

type Seen = Parameters<typeof verdictLines>[0];

const at = (minute: string) => `2026-01-31T12:${minute}:00.000Z`;
const WELL: Seen = {
  attention: { asOf: at("59"), count: 0, isAll: true, groups: [] },
  heldUp: { asOf: at("59"), count: 0, isAll: true, groups: [] },
  deadLetters: { queues: [{ queue: "jobs", count: 0, isAll: true, oldestAt: null, causes: [] }] },
  system: [],
  overdue: 0,
};
const group = { id: "0123456789abcdef", workflow: "w", step: "s", kind: "rejected", lastSeen: at("50"), hours: [] };
const IN_ERROR = { ...group, example: "card expired", count: 3, firstSeen: at("30") } as const;
const LETTERS = {
  queue: "quarantine",
  count: 2,
  isAll: true,
  oldestAt: at("10"),
  causes: [{ cause: "bad", count: 2 }],
};

test("all is well", () => expect(verdictLines(WELL)).toEqual(["All is well."]));

test("since the earliest of what is wrong, each in a line", () => {
  const seen = {
    ...WELL,
    attention: { ...WELL.attention, count: 3, groups: [IN_ERROR] },
    deadLetters: { queues: [LETTERS] },
    system: [{ line: "No supervisor is active", since: null, json: {} }],
    overdue: 1,
  } as unknown as Seen;
  expect(verdictLines(seen)).toEqual([
    `Not well since ${at("10")}:`,
    '  quarantine: 2 messages with "bad"',
    "  3 orders in Error: card expired",
    "  No supervisor is active",
    "  1 order overdue",
  ]);
});

test.each<[string, Partial<Seen>]>([
  ["more held up than are read", { heldUp: { ...WELL.heldUp, isAll: false } }],
  ["a queue that could not be counted", { deadLetters: { queues: [{ queue: "jobs", error: "403" }] } }],
  ["what is overdue", { overdue: 2 }],
])("not with %s", (_, changed) => expect(verdictLines({ ...WELL, ...changed })[0]).toBe("Not well:"));
