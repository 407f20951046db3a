// The shift log: a bulk run is one entry, a sweep's decisions of one cause are one, and nothing in between is left out.
import { expect, test } from "vitest";
import { shiftLog as schema } from "../answers/shift-log.ts";
import type { ShiftAction, ShiftDecision } from "../store/shift-entries.ts";
import { shiftLog } from "./shift-log.ts";

const at = (minute: number) => `2026-01-31T12:${String(minute).padStart(2, "0")}:00.000Z`;
const PERIOD = { from: at(0), to: at(59) };
const BULK = "fixed (bulk 00000000-0000-0000-0000-000000000001)";

const action = (minute: number, changes: Partial<ShiftAction> = {}): ShiftAction => ({
  ...{ at: at(minute), operator: "Ada", action: "resubmit", jobId: `job-${minute}`, reason: "r", outcome: "done" },
  ...changes,
});
const decision = (minute: number, changes: Partial<ShiftDecision> = {}): ShiftDecision => ({
  ...{ at: at(minute), sweepId: "s-1", jobId: `job-${minute}`, verdict: "retry", outcome: "applied" },
  rule: "failures below 3",
  stop: { step: "pay", agent: "bank", attempt: 1, tries: 4, endpoint: null, message: `HTTP 503: down for ${minute} s` },
  ...changes,
});

/** As a step has it whose breaker was open. */
const NO_WORDS = { ...decision(0).stop, message: "gets no calls: HTTP 503" } as NonNullable<ShiftDecision["stop"]>;

async function read(actions: readonly ShiftAction[], decisions: readonly ShiftDecision[], who?: string) {
  const newest = <T extends { readonly at: string }>(all: readonly T[]) =>
    all.toSorted((one, other) => other.at.localeCompare(one.at)).slice(0, 1000);
  const log = await shiftLog(
    { ...PERIOD, who },
    { actions: async () => newest(actions), decisions: async () => newest(decisions) },
  );
  return schema.parse(log);
}

test("a bulk run's jobs are one entry; a sweep's decisions of one cause are one; the newest is first", async () => {
  const { entries, isAll } = await read(
    [action(1, { reason: BULK }), action(2, { reason: BULK }), action(9, { action: "note", reason: "the bank knows" })],
    [
      decision(3),
      { ...decision(4), stop: NO_WORDS },
      decision(5, { sweepId: "s-2" }),
      decision(6, { verdict: "fail" }),
    ],
  );
  expect(isAll).toBe(true);
  expect(entries.map(({ kind, count }) => [kind, count])).toEqual([
    ["action", 1],
    ["decisions", 1],
    ["decisions", 1],
    ["decisions", 2],
    ["action", 2],
  ]);
  expect(entries.at(-1)).toMatchObject({ action: "resubmit", jobIds: ["job-2", "job-1"] });
  expect(entries.at(-2)).toMatchObject({ cause: "pay: HTTP 503: down for 3 s" });
});

test("filtered by who: an operator, in any case, or the supervisor", async () => {
  const actions = [action(1), action(2, { operator: "bob" })];
  const whoOf = async (who?: string) =>
    (await read(actions, [decision(3)], who)).entries.map((one) => (one.kind === "action" ? one.operator : one.kind));
  expect(await whoOf()).toEqual(["decisions", "bob", "Ada"]);
  expect(await whoOf("ada")).toEqual(["Ada"]);
  expect(await whoOf("supervisor")).toEqual(["decisions"]);
  expect(await whoOf("nobody")).toEqual([]);
});

test("where there are more decisions than are read, older actions are not shown either: they come with the next request", async () => {
  const many = Array.from({ length: 1100 }, (_, number) =>
    decision(number < 1000 ? 30 : 10, { jobId: `job-${number}` }),
  );
  const { entries, isAll, from } = await read([action(20), action(40)], many);
  expect([isAll, from]).toEqual([false, at(30)]);
  expect(entries.map(({ kind }) => kind)).toEqual(["action", "decisions"]);
});
