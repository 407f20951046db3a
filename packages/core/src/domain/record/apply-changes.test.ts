import { expect, test } from "vitest";
import { sampleRecord } from "../../../tests/jobs.ts";
import { applyChanges } from "./apply-changes.ts";
import type { Change } from "./guarded-write.ts";

const CHANGES: readonly Change[] = [
  { op: "set", path: ["attempt"], value: 7 },
  { op: "set", path: ["steps", "reserveStock", "retryCount"], value: 2 },
  { op: "set", path: ["steps", "reserveStock", "agent"], value: "other" },
  { op: "append", path: ["outbox"], value: { id: "second" } },
  { op: "append", path: ["outbox"], value: { id: "third" } },
  { op: "remove", path: ["steps", "takePayment", "error"] },
];

test("the changes are made in their order, and the record that is given stays as it is", () => {
  const record = { ...sampleRecord(), outbox: [{ id: "first" }] } as unknown as ReturnType<typeof sampleRecord>;
  const before = structuredClone(record);
  const { reserveStock, takePayment } = structuredClone(record.steps);
  const { error: _, ...withoutError } = takePayment ?? { error: null };

  expect(applyChanges(record, CHANGES)).toEqual({
    ...before,
    attempt: 7,
    outbox: [{ id: "first" }, { id: "second" }, { id: "third" }],
    steps: {
      ...before.steps,
      reserveStock: { ...reserveStock, retryCount: 2, agent: "other" },
      takePayment: withoutError,
    },
  });
  expect(record).toEqual(before);
});

test("a change inside of what another one has set leaves that value as it was given", () => {
  const value = { given: true };
  const within: readonly Change[] = [
    { op: "set", path: ["error"], value },
    { op: "set", path: ["error", "given"], value: false },
  ];
  expect(applyChanges(sampleRecord(), within).error).toEqual({ given: false });
  expect(value).toEqual({ given: true });
});

test("a path that does not exist is a bug", () => {
  const change: Change = { op: "set", path: ["steps", "nowhere", "state"], value: "Completed" };
  expect(() => applyChanges(sampleRecord(), [change])).toThrow("no member nowhere on the path steps/nowhere/state");
});
