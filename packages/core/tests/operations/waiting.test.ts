// Why a job waits: each reason, as data and in words.
import { type WaitContext, waitInWords, waitingJobOf, waitsOf } from "@scheduler-agent-supervisor/operator/domain";
import { describe, expect, test } from "vitest";
import { after } from "../../src/domain/duration.ts";
import { type Expiry, NOT_STARTED, type StateRecord, type StepRun } from "../../src/domain/record/state-record.ts";
import { recover } from "../../src/domain/recovery/recovery.ts";
import { GRAPH, NOON, sampleRecord } from "../jobs.ts";

const CLAIM_MS = 60_000;
const at = (minutes: number) => after(NOON, minutes * 60_000);
const time = (instant: string) => instant.slice(11, 16);

const misconfigured: Expiry = {
  at: at(4),
  attempt: 1,
  tries: 2,
  endpoint: "http://pay/",
  message: "HTTP 401",
  misconfigured: true,
};
const outage: Expiry = { ...misconfigured, message: "HTTP 503", misconfigured: false };
const running: StepRun = {
  ...NOT_STARTED,
  state: "Running",
  attempt: 1,
  scheduledAt: at(3),
  startedAt: at(3),
  startBy: at(3),
  completeBy: at(4),
};

const awaited: StepRun = { ...running, state: "Awaiting", completeBy: at(90) };

function recordWith(run: Partial<StepRun>, changes: Partial<StateRecord> = {}): StateRecord {
  const base = sampleRecord("job-1", GRAPH);
  const { takePayment, checkFraud } = base.steps;
  if (!takePayment || !checkFraud) throw new Error("the sample has other steps");
  return {
    ...{ ...base, processState: "Processing", createdAt: NOON, updatedAt: at(3), dueAt: at(9) },
    ...changes,
    steps: {
      ...base.steps,
      checkFraud: { ...checkFraud, state: "Completed", startedAt: NOON, endedAt: at(2) },
      takePayment: { ...takePayment, ...run },
    },
  };
}

function wordsOf(record: StateRecord, minutes: number, isPaused: WaitContext["isPaused"] = () => false): string[] {
  const context = { now: at(minutes), claimWithinMs: CLAIM_MS, graceMs: 120_000, isPaused };
  return waitsOf(waitingJobOf(record), context).map((wait) => waitInWords(wait, time));
}

/** As the supervisor leaves it. */
const held = recover(
  recordWith({ ...running, expiry: misconfigured }),
  { kind: "hold", waitMs: 300_000 },
  { now: at(5), overdueBefore: at(5), claimWithinMs: CLAIM_MS },
);

describe("why a job waits", () => {
  test("a wrong credential: since its step was reached, and until its next try", () => {
    const [words] = wordsOf(held, 6);
    expect(words).toBe(
      "waits for payment: HTTP 401 since 12:02, tries again at 12:10; the endpoint's address or the app's credential is wrong",
    );
    expect(wordsOf(held, 11)[0]).toContain("tries again now");
  });

  test.each([
    [
      "code of the app that throws",
      recordWith({
        ...{ ...NOT_STARTED, notBefore: at(9) },
        expiry: { ...outage, endpoint: "condition isHigh", message: "TypeError: no total", ofCode: true },
      }),
      "waits for a version of the app that does not throw in condition isHigh (job-fulfilment v2): TypeError: no total since 12:02, tries again at 12:09",
    ],
    [
      "what was given up may still be done",
      recordWith(
        { ...NOT_STARTED, scheduledAt: at(1), compensation: { ...NOT_STARTED, notBefore: at(9) } } as Partial<StepRun>,
        { direction: "compensate" },
      ),
      "waits until no request of takePayment that was given up can be done any more, since 12:02, until 12:09: then it is compensated",
    ],
    [
      "an answer that its agent does not declare",
      recordWith({ ...NOT_STARTED, expiry: { ...outage, misconfigured: true, ofRequest: true }, notBefore: at(9) }),
      "waits for payment: HTTP 503 since 12:02, tries again at 12:09; its agent does not declare this answer",
    ],
    [
      "an outage",
      recordWith({ ...NOT_STARTED, expiry: outage, notBefore: at(9) }),
      "waits for payment: HTTP 503 since 12:02, tries again at 12:09",
    ],
    [
      "an open breaker",
      recordWith({ ...NOT_STARTED, expiry: { ...outage, message: "gets no calls: HTTP 503" } }),
      "waits for payment: HTTP 503 since 12:02, tries again now",
    ],
    [
      "a try after an outage",
      recordWith({ ...running, expiry: outage, completeBy: at(7) }),
      "waits for payment: HTTP 503 since 12:02, tries again now",
    ],
    [
      "an agent that is busy, or dead",
      recordWith({ ...running, state: "Scheduled", startBy: at(9) }),
      "waits for payment to take up takePayment since 12:03",
    ],
    [
      "an agent that did not take it up before",
      recordWith({ ...running, state: "Scheduled", startBy: at(9), waitCount: 2 }),
      "waits for payment: the agent payment did not take it up in time (2 in a row) since 12:02",
    ],
    [
      "the same, as the supervisor has just found",
      recordWith({ ...NOT_STARTED, waitCount: 1 }),
      "waits for payment: the agent payment did not take it up in time (1 in a row) since 12:02",
    ],
    [
      "the same, which the supervisor looks at again later",
      recordWith({ ...running, state: "Scheduled", startBy: at(4), startedAt: null }, { dueAt: at(7) }),
      "waits for payment to take up takePayment since 12:03",
    ],
    [
      "a service that is done later, while its job can't be recovered: for its deadline, say",
      {
        ...recordWith({ ...awaited, accepted: { at: at(3) } }, { dueAt: at(4) }),
        unrecovered: { since: at(5), lookAgainAt: at(10), fault: "No workflow x v9 in this version of the app" },
      },
      "waits for a report about takePayment from payment since 12:03, until 13:30",
      "waits for the supervisor: it is overdue since 12:03, and can't be recovered: No workflow x v9 in this version of the app; tries again at 12:10",
    ],
    [
      "the same, which no supervisor has looked at",
      recordWith({ ...awaited, accepted: { at: at(3) } }, { dueAt: at(2) }),
      "waits for a report about takePayment from payment since 12:03, until 13:30",
      "waits for the supervisor: it is overdue since 12:03",
    ],
    [
      "a service that is done later, while its job's next attempt does not start",
      recordWith({ ...awaited, accepted: { at: at(3) } }, { processState: "Pending", dueAt: at(9) }),
      "waits for a report about takePayment from payment since 12:03, until 13:30",
      "waits for its start since 12:03",
    ],
    [
      "a service that nobody asks, though its time has come",
      recordWith({ ...awaited, accepted: { at: at(3), pollAt: at(3.5) } }),
      "waits for payment, which learns nothing about takePayment since 12:03: its poll is overdue, tries again now",
    ],
    [
      "a slow service",
      recordWith({ ...running, completeBy: at(9) }),
      "waits for payment to finish takePayment since 12:03, until 12:09",
    ],
    [
      "a person",
      recordWith({ ...running, state: "Awaiting", completeBy: at(90), accepted: { at: at(3) } }),
      "waits for a report about takePayment from payment since 12:03, until 13:30",
    ],
    [
      "a service that does it later and can't be asked",
      recordWith({ ...awaited, accepted: { at: at(3), lastReportAt: at(3.5), pollAt: at(20) }, expiry: outage }),
      "waits for payment, which learns nothing about takePayment since 12:03: HTTP 503, tries again at 12:20",
    ],
    [
      "the same behind a queue",
      recordWith({ ...awaited, accepted: { at: at(3) }, again: { round: 2, at: at(11) }, expiry: outage }),
      "waits for payment, which learns nothing about takePayment since 12:03: HTTP 503, tries again at 12:11",
    ],
    [
      "a service that could not be asked, and reported since",
      recordWith({ ...awaited, accepted: { at: at(3), lastReportAt: at(5), pollAt: at(20) }, expiry: outage }),
      "waits for a report about takePayment from payment since 12:03, until 13:30",
    ],
    [
      "a supervisor that does not run",
      recordWith(running),
      "waits for the supervisor: takePayment is overdue since 12:04",
    ],
    [
      "a record that can't be recovered",
      {
        ...recordWith(running),
        unrecovered: { since: at(5), lookAgainAt: at(10), fault: "No workflow x v9 in this version of the app" },
      },
      "waits for the supervisor: takePayment is overdue since 12:04, and can't be recovered: No workflow x v9 in this version of the app; tries again at 12:10",
    ],
    [
      "its start",
      { ...sampleRecord("job-1", GRAPH), updatedAt: at(3), dueAt: at(9) },
      "waits for its start since 12:03",
    ],
    [
      "its start, forgotten",
      { ...sampleRecord("job-1", GRAPH), updatedAt: at(1), dueAt: at(2) },
      "waits for the supervisor: it is overdue since 12:01",
    ],
    [
      "its next step, forgotten",
      recordWith({ ...NOT_STARTED }, { dueAt: at(4) }),
      "waits for the supervisor: it is overdue since 12:03",
    ],
    [
      "an ended one's message, which can't be sent",
      {
        ...recordWith(running, { processState: "Compensated", dueAt: at(4) }),
        unrecovered: { since: at(5), lookAgainAt: at(10), fault: "no queue private-replies" },
      },
      "has ended, and a message about it could not be sent since 12:03: no queue private-replies; tries again at 12:10",
    ],
    [
      "an ended one's message, which nobody has sent again",
      recordWith(running, { processState: "Compensated", dueAt: at(4) }),
      "has ended, and a message about it could not be sent since 12:03",
    ],
    [
      "an ended one's message, at the first try in vain",
      {
        ...recordWith(running, { processState: "Compensated", dueAt: at(5) }),
        unrecovered: { since: at(5.5), lookAgainAt: at(10), fault: "no queue private-replies" },
      },
      "has ended, and a message about it could not be sent since 12:03: no queue private-replies; tries again at 12:10",
    ],
  ])("%s", (_, record, ...words) => expect(wordsOf(record as StateRecord, 6.5)).toEqual(words));

  test("a paused agent explains what has not started, and not what runs", () => {
    const paused = (agent: string) => agent === "payment";
    expect(wordsOf(held, 6, paused)).toEqual(["waits for payment, which is paused, since 12:02"]);
    expect(wordsOf(recordWith({ ...running, completeBy: at(9) }), 6, paused)[0]).toContain("to finish takePayment");
    const postponed = recordWith({ ...running, state: "Scheduled", startedAt: null, waitCount: 1 }, { dueAt: at(9) });
    expect(wordsOf(postponed, 8, paused)).toEqual(["waits for payment, which is paused, since 12:02"]);
  });

  test("a compensation waits in its own words, and not for what it has given up", () => {
    const record = recordWith(
      { ...running, compensation: { ...running, state: "Scheduled", startBy: at(9) } } as object,
      {
        direction: "compensate",
      },
    );
    const open = { ...record.steps["takePayment"], ...NOT_STARTED, expiry: outage };
    const compensating = { ...record, steps: { ...record.steps, takePayment: { ...open } } } as StateRecord;
    expect(wordsOf(compensating, 6)).toEqual([
      "waits for payment to take up the compensation of takePayment since 12:03",
    ]);
  });

  test("an ended job waits once its message is left to the supervisor, before that is due", () => {
    // Left at 5: due half a minute later.
    const owed = { ...held, processState: "Processed" as const, dueAt: at(5.5) };
    expect(wordsOf(owed, 5.05)).toEqual([]);
    expect(wordsOf(owed, 5.1)).toEqual([expect.stringMatching(/^has ended, and a message about it could not be sent/)]);
  });

  test("an ended job does not wait, nor one between two steps", () => {
    expect(wordsOf({ ...held, processState: "Cancelled" }, 6)).toEqual([]);
    expect(wordsOf(recordWith({ ...NOT_STARTED }, { dueAt: at(5) }), 6)).toEqual([]);
  });
});
