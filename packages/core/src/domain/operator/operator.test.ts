// What an operator may ask: every action in every state and direction. The kinds of Error are in operator-errors.test.ts.
import { describe, expect, test } from "vitest";
import {
  actions,
  allowed,
  context,
  errorOf,
  LATER,
  NOON,
  record,
  rejected,
  workflow,
} from "../../../tests/operated-jobs.ts";
import type { Direction, JobError, ProcessState } from "../record/state-record.ts";
import { transitions } from "../steps/transitions.ts";
import { decide } from "./operator.ts";

/** What each action makes of the job; one that is not named is rejected. */
type Row = [ProcessState, Direction, JobError["kind"] | null, { readonly [name in ActionCase]?: ProcessState }];
type ActionCase = keyof typeof actions;

const PENDING = "Pending";
const anew = { resubmit: PENDING, edit: PENDING, manual: PENDING, forward: PENDING } as const;
const again = { resubmit: PENDING, compensate: PENDING, extend: PENDING } as const;
const table: Row[] = [
  ["Pending", "forward", null, { ...anew, compensate: "Pending", cancel: "Cancelled", extend: "Pending" }],
  ["Pending", "compensate", "rejected", again],
  ["Pending", "compensate", "cancelled", again],
  ["Pending", "compensate", "expired", again],
  ["Processing", "forward", null, { compensate: "Pending", cancel: "Pending", extend: "Processing" }],
  ["Processing", "compensate", "rejected", { extend: "Processing" }],
  ["Processed", "forward", null, {}],
  ["Error", "forward", "rejected", { ...anew, compensate: "Pending", markResolved: "Error" }],
  ["Error", "forward", "expired", { ...anew, compensate: "Pending", markResolved: "Error" }],
  ["Compensated", "compensate", "rejected", anew],
  ["Cancelled", "compensate", "cancelled", anew],
  ["Cancelled", "forward", "cancelled", anew],
  ["Error", "forward", "resolved", { ...anew, compensate: "Pending" }],
  ["Error", "compensate", "resolved", anew],
];

describe("every action in every state and direction", () => {
  const names = Object.keys(actions) as ActionCase[];
  const cases = table.flatMap(([processState, direction, kind, wanted]) =>
    names.map((name) => ({ processState, direction, kind, name, state: wanted[name] ?? "rejected" })),
  );
  test.each(cases)("$name of $processState, $direction, $kind: $state", ({ processState, direction, kind, ...row }) => {
    const before = record({ processState, direction, error: kind && errorOf(kind) });
    const decision = decide(before, actions[row.name], workflow, context);
    if (row.state === "rejected") {
      expect(decision).toEqual({ kind: "rejected", reason: expect.stringMatching(/\w+/) });
      return;
    }
    if (decision.kind !== "allowed") throw new Error(decision.reason);
    expect(decision.record.processState).toBe(row.state);
    expect(decision.record.history.at(-1)).toMatchObject({ at: NOON, by: "ada" });
    const moves = Object.values(transitions).map(({ from, to }) => `${from} ${to}`);
    expect(moves).toContain(`${processState} ${row.state}`);
  });
});

test("P29 of a job that is closed only a resubmission that brings a new content is allowed, and opens it", () => {
  for (const [processState, direction, kind] of [
    ["Compensated", "compensate", "rejected"],
    ["Cancelled", "forward", "cancelled"],
    ["Error", "forward", "resolved"],
  ] as const) {
    const closed = record({ processState, direction, error: errorOf(kind), keptUntil: LATER });
    for (const name of Object.keys(actions) as ActionCase[]) {
      const decision = decide(closed, actions[name], workflow, context);
      expect(decision.kind, `${name} of ${kind}`).toBe(name === "edit" ? "allowed" : "rejected");
    }
    const { record: open } = allowed(closed, actions.edit);
    for (const member of ["keptUntil", "overAt", "overInErrorAt"]) expect(open).not.toHaveProperty(member);
  }
});

test("the history keeps its newest entries", () => {
  const entry = { at: NOON, what: "x", by: "x" };
  const long = record({ ...rejected, history: Array.from({ length: 100 }, () => entry) });
  const { history } = allowed(long, actions.resubmit).record;
  expect(history).toHaveLength(100);
  expect(history.at(-1)?.what).toContain("card renewed");
});
