// The attempts of a job as console and terminal compare them: why each began, what ended in it, and how it ended.
import { expect, test } from "vitest";
import { type Attempted, attemptsOf } from "./attempts-of.ts";

const at = (second: number) => `2026-01-31T12:00:${String(second).padStart(2, "0")}.000Z`;
const entry = (second: number, what: string) => ({ at: at(second), what, by: "host-1" });
const run = { state: "Completed", endedAt: null, compensation: null };

const record = (changes: object) =>
  ({
    processState: "Processed",
    updatedAt: at(40),
    history: [
      entry(0, "received"),
      entry(1, "claimed, attempt 1, forward"),
      entry(9, "expired in takePayment, retried"),
      entry(11, "claimed, attempt 2, forward"),
      entry(12, "takePayment rejected: card expired"),
      entry(30, "resubmitted, attempt 3: card renewed"),
      entry(31, "claimed, attempt 3, forward"),
      entry(40, "completed"),
    ],
    steps: {
      reserveStock: { ...run, endedAt: at(2) },
      takePayment: { ...run, endedAt: at(35), expiry: { attempt: 1, message: "HTTP 503" } },
    },
    ...changes,
  }) as unknown as Attempted;

test("each attempt has its reason, what was done in it, and its end", () => {
  const [first, second, third] = attemptsOf(record({}));
  expect(first).toMatchObject({ attempt: 1, from: at(1), to: at(9), began: null, hasFailed: true });
  expect(first?.steps).toEqual(["reserveStock: Completed", "takePayment: HTTP 503"]);
  expect(second).toMatchObject({ began: "expired in takePayment, retried", to: at(12), steps: [] });
  expect(third).toMatchObject({
    ...{ attempt: 3, began: "resubmitted, attempt 3: card renewed", ended: "completed", hasFailed: false, to: at(40) },
    steps: ["takePayment: Completed"],
  });
});

test("why a step failed in an attempt is still said when a later attempt has run it again", () => {
  const history = [
    entry(1, "claimed, attempt 1, forward"),
    entry(9, "takePayment: Failed: card has expired"),
    entry(11, "resubmitted, attempt 2: card renewed"),
    entry(12, "claimed, attempt 2, forward"),
    entry(20, "takePayment: attempt 2 runs out of time, after 3 tries: HTTP 503"),
    entry(21, "expired in takePayment, retried"),
    entry(22, "claimed, attempt 3, forward"),
    entry(30, "takePayment: Completed"),
  ];
  const steps = { takePayment: { ...run, endedAt: at(30) } };
  const [first, second, third] = attemptsOf(record({ history, steps }));
  expect(first).toMatchObject({
    ended: "takePayment: Failed: card has expired",
    steps: ["takePayment: Failed: card has expired"],
  });
  expect(second?.steps).toEqual(["takePayment: attempt 2 runs out of time, after 3 tries: HTTP 503"]);
  expect(third?.steps).toEqual(["takePayment: Completed"]);
});

test("why a step has failed stands beside it", () => {
  const history = [entry(1, "claimed, attempt 1, forward"), entry(9, "takePayment: Failed: card has expired")];
  const steps = { takePayment: { ...run, state: "Failed", error: "card has expired", endedAt: at(9) } };
  const [only] = attemptsOf(record({ processState: "Error", history, steps }));
  expect(only?.steps).toEqual(["takePayment: Failed: card has expired"]);
});

test("the last attempt of a job that has not ended is under way", () => {
  const [only] = attemptsOf(
    record({ processState: "Processing", history: [entry(1, "claimed, attempt 1, forward")], steps: {} }),
  );
  expect(only).toMatchObject({ to: null, ended: null });
});
