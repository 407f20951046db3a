// The supervisor's verdict where an endpoint's address or our credential is wrong: it waits, and counts nothing.
import { describe, expect, test } from "vitest";
import { GRAPH, NOON, sampleRecord } from "../../tests/jobs.ts";
import type { RecoveryPolicy } from "./definition/workflow.ts";
import { after as later } from "./duration.ts";
import { type Direction, type Expiry, NOT_STARTED, type StateRecord, type StepRun } from "./record/state-record.ts";
import { claimableAt, decideRecovery, recover } from "./recovery/recovery.ts";

const HOLD_MS = 300_000;
const strict: RecoveryPolicy = { failureThreshold: 3, waits: [], onExhausted: "compensate", onRejected: "compensate" };
const misconfigured: Expiry = {
  at: NOON,
  attempt: 4,
  tries: 2,
  endpoint: "http://pay/",
  message: "HTTP 401",
  misconfigured: true,
};
const OF_CODE: Expiry = { ...misconfigured, endpoint: "condition isHigh", message: "no total", ofCode: true };
const LATER = later(NOON, 60_000);

const running: StepRun = {
  ...NOT_STARTED,
  state: "Running",
  attempt: 4,
  scheduledAt: NOON,
  startBy: NOON,
  completeBy: NOON,
  failureCount: 2,
};
const scheduled: StepRun = { ...running, state: "Scheduled" };

/** In attempt 4, with as many failures as the threshold allows, and one more is too many. */
function record(runs: { readonly [step: string]: StepRun }, direction: Direction = "forward"): StateRecord {
  const base = {
    ...sampleRecord("job-1", GRAPH),
    processState: "Processing" as const,
    attempt: 4,
    failureCount: 2,
    direction,
  };
  const steps = Object.entries(runs).map(([name, run]) => {
    const step = base.steps[name];
    if (!step) throw new Error(`no step ${name}`);
    return [name, direction === "forward" ? { ...step, ...run } : { ...step, state: "Completed", compensation: run }];
  });
  return { ...base, steps: { ...base.steps, ...Object.fromEntries(steps) } };
}

const verdict = (one: StateRecord) => decideRecovery(one, () => strict, LATER, HOLD_MS).kind;

describe("P27 a wrong address or credential", () => {
  test.each([
    ["it is held", { takePayment: { ...running, expiry: misconfigured } }, "hold"],
    [
      "an earlier attempt's says nothing",
      { takePayment: { ...running, expiry: { ...misconfigured, attempt: 3 } } },
      "compensate",
    ],
    [
      "an outage is counted",
      { takePayment: { ...running, expiry: { ...misconfigured, misconfigured: false } } },
      "compensate",
    ],
    ["an agent that died is counted", { takePayment: running }, "compensate"],
    [
      "beside it another one failed: that is counted",
      { takePayment: { ...running, expiry: misconfigured }, checkFraud: running },
      "compensate",
    ],
    [
      "beside it another one still waits for its agent",
      { takePayment: { ...running, expiry: misconfigured }, checkFraud: scheduled },
      "hold",
    ],
    ["the app's own code threw", { takePayment: { ...running, expiry: OF_CODE } }, "holdForCode"],
    [
      "in an earlier attempt that says nothing",
      { takePayment: { ...running, expiry: { ...OF_CODE, attempt: 3 } } },
      "compensate",
    ],
    [
      "beside code that threw a wrong credential is held too",
      { takePayment: { ...running, expiry: OF_CODE }, checkFraud: { ...running, expiry: misconfigured } },
      "holdForCode",
    ],
    [
      "beside code that threw a failure is counted",
      { takePayment: { ...running, expiry: OF_CODE }, checkFraud: running },
      "compensate",
    ],
    ["it was not even taken up", { takePayment: { ...scheduled, expiry: misconfigured } }, "reschedule"],
  ])("%s", (_, runs, wanted) => expect(verdict(record(runs))).toBe(wanted));

  test("of a compensation too: it is not given up", () => {
    expect(verdict(record({ takePayment: { ...running, expiry: misconfigured } }, "compensate"))).toBe("hold");
    expect(verdict(record({ takePayment: running }, "compensate"))).toBe("skip");
  });

  test.each(["forward", "compensate"] as const)(
    "beside it another one fails, %s: that one's budget decides, and the wrong address uses up nothing",
    (direction) => {
      const runs = { takePayment: { ...running, expiry: misconfigured }, checkFraud: { ...running, failureCount: 0 } };
      const before = record(runs, direction);
      const decided = decideRecovery(before, () => strict, LATER, HOLD_MS);
      expect(decided).toMatchObject({ kind: "retry", step: "checkFraud", failures: 1 });
      const { steps } = recover(before, decided, { now: NOON, overdueBefore: LATER, claimWithinMs: 60_000 });
      const failures = ["takePayment", "checkFraud"].map((name) => {
        const step = steps[name];
        return direction === "forward" ? step?.failureCount : step?.compensation?.failureCount;
      });
      expect(failures).toEqual([2, 1]);
    },
  );

  test.each([
    ["forward", "fail"],
    ["compensate", "skip"],
  ] as const)(
    "an undeclared answer to this job is held twelve times in a row, %s, and then a person has to act",
    (direction, end) => {
      const undeclared = { ...misconfigured, message: "HTTP 400", ofRequest: true };
      const held = (answerCount: number) =>
        record({ takePayment: { ...running, expiry: undeclared, answerCount } }, direction);
      expect(verdict(held(10))).toBe("holdForAnswer");
      expect(verdict(held(11))).toBe(end);
      const failed = recover(
        held(11),
        decideRecovery(held(11), () => strict, LATER, HOLD_MS),
        {
          ...{ now: NOON, overdueBefore: LATER, claimWithinMs: 60_000 },
        },
      );
      const said = direction === "forward" ? failed.error?.message : failed.steps["takePayment"]?.compensation?.error;
      expect(said).toContain("12 attempts in a row were answered with what the agent does not declare: HTTP 400");
    },
  );

  test("beside a wrong credential an undeclared answer is told to the client", () => {
    const runs = {
      takePayment: { ...running, expiry: misconfigured },
      checkFraud: { ...running, expiry: { ...misconfigured, ofRequest: true } },
    };
    expect(verdict(record(runs))).toBe("holdForAnswer");
  });

  test("P33 a wait for a report that expires because the app's code threw goes on, and is polled again", () => {
    const accepted = { at: NOON, pollAt: later(NOON, 1000) };
    const before = record({ takePayment: { ...running, state: "Awaiting", accepted, expiry: OF_CODE } });
    const decided = decideRecovery(before, () => strict, LATER, HOLD_MS);
    expect(decided.kind).toBe("holdForCode");
    const { steps } = recover(before, decided, { now: NOON, overdueBefore: LATER, claimWithinMs: 60_000 });
    const pollAt = later(NOON, HOLD_MS);
    expect(steps["takePayment"]).toMatchObject({
      ...{ state: "Awaiting", completeBy: later(NOON, 2 * HOLD_MS), failureCount: 2 },
      accepted: { pollAt },
    });
  });

  test("P21 beside such a wait another step goes on: the next attempt is started at once, as its record says", () => {
    const waits = { ...running, state: "Awaiting", accepted: { at: NOON }, expiry: OF_CODE } as const;
    const startOf = (runs: { readonly [step: string]: StepRun }) => {
      const before = record(runs);
      const decided = decideRecovery(before, () => strict, LATER, HOLD_MS);
      expect(decided.kind).toBe("holdForCode");
      const next = recover(before, decided, { now: NOON, overdueBefore: LATER, claimWithinMs: 60_000 });
      return claimableAt(next, 60_000, NOON);
    };
    expect(startOf({ takePayment: waits })).toBe(later(NOON, HOLD_MS));
    expect(startOf({ takePayment: waits, checkFraud: { ...running, completeBy: later(LATER, 1) } })).toBeUndefined();
  });

  test("another attempt is due later, no failure is counted, nobody is notified, and the cause stays for people to see", () => {
    const before = record({ takePayment: { ...running, expiry: misconfigured } });
    const held = recover(
      before,
      { kind: "hold", waitMs: HOLD_MS },
      { now: NOON, overdueBefore: later(NOON, 60_000), claimWithinMs: 60_000 },
    );
    expect(held).toMatchObject({
      processState: "Pending",
      lockedBy: null,
      attempt: 5,
      failureCount: 2,
      direction: "forward",
      dueAt: later(NOON, HOLD_MS + 60_000),
      outbox: [],
      error: null,
    });
    expect(held.steps["takePayment"]).toMatchObject({ state: "NotStarted", expiry: misconfigured });
    expect(held.history.at(-1)?.what).toContain("takePayment needs an endpoint's address or credential fixed");
  });
});
