// What is held up, as the store finds it through the official SDK: the same waits as each record's own, and nothing that moves or has ended.
import type { Container } from "@azure/cosmos";
import { createCosmosJobStore } from "@scheduler-agent-supervisor/core/create-app";
import {
  after,
  type Expiry,
  NOT_STARTED,
  recover,
  type StateRecord,
  type StepRun,
} from "@scheduler-agent-supervisor/core/domain";
import { createHeldUp, createWaitingJobs } from "@scheduler-agent-supervisor/operator/adapters";
import type { AgentHealth } from "@scheduler-agent-supervisor/operator/contract";
import { leftBefore, waitingJobOf } from "@scheduler-agent-supervisor/operator/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CosmosInProcess, startCosmosInProcess } from "../support/cosmos-in-process.ts";
import { GRAPH, NOON, sampleOrder, sampleRecord } from "../support/orders.ts";
import { sampleContainer } from "../support/sample-container.ts";

const at = (minutes: number) => after(NOON, minutes * 60_000);
const NOW = at(6);
const expiry = (message: string, misconfigured: boolean): Expiry => ({
  ...{ at: at(4), attempt: 1, tries: 1, endpoint: "http://pay/", message },
  ...(misconfigured && { misconfigured }),
});
const running: StepRun = {
  ...{ ...NOT_STARTED, state: "Running", attempt: 1, scheduledAt: at(3), startedAt: at(3), startBy: at(3) },
  completeBy: at(8),
};

function recordWith(orderId: string, step: string, run: Partial<StepRun>, changes: Partial<StateRecord> = {}) {
  const base = sampleRecord(orderId, GRAPH);
  const before = base.steps[step];
  if (!before) throw new Error(`no step ${step}`);
  const steps = { ...base.steps, [step]: { ...before, ...run } };
  const processing = { ...base, processState: "Processing" as const, updatedAt: at(3), dueAt: at(9) };
  return { ...processing, ...changes, steps } as StateRecord;
}

const heldBy = (orderId: string, message: string) =>
  recover(
    recordWith(orderId, "takePayment", { ...running, completeBy: at(4), expiry: expiry(message, true) }),
    { kind: "hold", waitMs: 300_000 },
    { now: at(5), overdueBefore: at(5), claimWithinMs: 60_000 },
  );
const startedInVain = (record: StateRecord, ...minutes: number[]) =>
  minutes.reduce<StateRecord>(
    (before, minute) =>
      recover(before, { kind: "repeatStart" }, { now: at(minute), overdueBefore: at(minute), claimWithinMs: 60_000 }),
    record,
  );
const LATER: StepRun = { ...running, state: "Awaiting", accepted: { at: at(3) }, completeBy: at(90) };
const HELD: readonly StateRecord[] = [
  // Just now, and not for the first time.
  startedInVain({ ...sampleRecord("vain-1", GRAPH), updatedAt: at(1) }, 4.9, 6),
  // One cause, in the words of the endpoint and without them.
  ...["HTTP 401", "HTTP 401: key 4711 has expired", "gets no calls: HTTP 401"].map((message, place) =>
    heldBy(`held-${place + 1}`, message),
  ),
  recordWith("captured-1", "capturePayment", { ...NOT_STARTED, expiry: expiry("HTTP 401: key 17 has expired", true) }),
  recordWith("retried-1", "takePayment", { ...NOT_STARTED, expiry: expiry("HTTP 503", false), notBefore: at(9) }),
  recordWith("full-1", "arrangeShipping", { ...running, state: "Scheduled" }),
  // The supervisor has just looked at it, and looks again later.
  recordWith("full-2", "arrangeShipping", { ...running, state: "Scheduled", completeBy: at(4) }, { updatedAt: NOW }),
  // Scheduled again just now; or about to be.
  ...([{ ...running, state: "Scheduled", scheduledAt: NOW }, NOT_STARTED] as const).map((run, place) =>
    recordWith(`untaken-${place + 1}`, "reserveStock", { ...run, waitCount: 1 }, { updatedAt: NOW }),
  ),
  recordWith("broken-1", "checkFraud", running),
  // Its service does it later: the next attempt does not start, which was to ask it; and no sweep could do what was due.
  recordWith("unstarted-1", "checkFraud", LATER, { processState: "Pending" }),
  recordWith("unswept-1", "checkFraud", LATER, { dueAt: at(2) }),
  // And nobody asks it; and it can't be asked.
  recordWith("unpolled-1", "reserveStock", {
    ...{ ...running, state: "Awaiting", accepted: { at: at(3), pollAt: at(3.5) }, completeBy: at(90) },
  }),
  recordWith("polled-1", "arrangeShipping", {
    ...{ ...running, state: "Awaiting", accepted: { at: at(3), lastReportAt: at(3.5), pollAt: at(9) } },
    expiry: expiry("HTTP 500", false),
  }),
  { ...sampleRecord("forgotten-1", GRAPH), updatedAt: at(1), dueAt: at(2) },
  // Between two steps.
  { ...sampleRecord("forgotten-2", GRAPH), processState: "Processing", updatedAt: at(1), dueAt: at(3) },
  // Its client's message can't be sent.
  { ...sampleRecord("owed-1", GRAPH), processState: "Compensated", updatedAt: at(1), dueAt: at(2) },
  // Nor could that one's, before it was left to the supervisor.
  { ...sampleRecord("owed-3", GRAPH), processState: "Processed", updatedAt: at(5.5), dueAt: at(6.1) },
  // Nor can that one's, as the supervisor has just found.
  {
    ...{ ...sampleRecord("owed-2", GRAPH), processState: "Processed", updatedAt: at(4), dueAt: at(5) },
    unrecovered: { since: at(5.5), lookAgainAt: at(7), fault: "no queue private-replies" },
  },
];
const THAN = { unchangedSince: at(5.5), overdueBefore: at(4), leftBefore: leftBefore(NOW) };
const MOVES: readonly StateRecord[] = [
  recordWith("quick-1", "takePayment", running, { updatedAt: NOW }),
  recordWith("asked-1", "takePayment", { ...running, state: "Awaiting", accepted: { at: at(3) } }),
  // What failed was before it was accepted, and before its latest report.
  ...[{ at: at(5) }, { at: at(3), lastReportAt: at(5) }].map((accepted, place) =>
    recordWith(`asked-${place + 2}`, "takePayment", {
      ...{ ...running, state: "Awaiting", accepted, expiry: expiry("HTTP 503", false) },
    }),
  ),
  recordWith("done-1", "takePayment", { ...running, expiry: expiry("HTTP 503", false), state: "Completed" }),
  { ...heldBy("ended-1", "HTTP 401"), processState: "Cancelled" },
  // Its message was left just now.
  { ...sampleRecord("owed-4", GRAPH), processState: "Processed", updatedAt: at(5.95), dueAt: at(6.45) },
];

let cosmos: CosmosInProcess;
let container: Container;
beforeAll(async () => {
  cosmos = await startCosmosInProcess();
  container = cosmos.orders();
  const store = createCosmosJobStore(sampleContainer(container));
  for (const record of [...HELD, ...MOVES]) await store.create(sampleOrder(record.jobId), record);
});
afterAll(() => cosmos?.[Symbol.asyncDispose]());

const byId = (one: { readonly jobId: string }, other: { readonly jobId: string }) =>
  one.jobId.localeCompare(other.jobId);

test("P30 the store finds each job that does not move, with what its wait depends on", async () => {
  const store = createWaitingJobs(container);
  const { jobs, isAll } = await store(THAN, 100);
  expect([jobs.length, isAll]).toEqual([HELD.length, true]);
  const wanted = HELD.map((record) => JSON.parse(JSON.stringify(waitingJobOf(record)))).sort(byId);
  expect([...jobs].sort(byId)).toMatchObject(wanted.map(({ open, ...job }) => ({ ...job, open: open.map(shown) })));
  const { jobs: few, isAll: isThat } = await store(THAN, 2);
  expect([few.length, isThat]).toEqual([2, false]);
});

/** The members that the query reads. */
function shown({ step, agent, direction, run }: { step: string; agent: string; direction: string; run: StepRun }) {
  const { state, scheduledAt, completeBy } = run;
  return { step, agent, direction, run: { state, scheduledAt, completeBy } };
}

test("P30 they are grouped by agent and cause, the largest group first; an open breaker is a cause", async () => {
  const broken = { endpoint: "http://fraud/", health: "broken", inFlight: 1, capacity: 9, isSlow: false } as const;
  const instances = [{ instance: "i-1", at: NOW, endpoints: [{ ...broken, lastError: "HTTP 500" }] }];
  const health: AgentHealth = { asOf: NOW, pauses: [], workflows: [], agents: [{ name: "fraud", instances }] };
  const heldUp = createHeldUp({
    ...{ jobs: createWaitingJobs(container), agents: async () => health },
    ...{ claimWithinMs: 60_000, graceMs: 120_000, now: () => Date.parse(NOW) },
  });
  const { groups, count } = await heldUp.groups();
  expect(count).toBe(HELD.length);
  const short = groups.map(({ wait: { reason, agent, cause, until }, count: of }) => ({
    reason,
    agent,
    cause,
    until,
    of,
  }));
  const cause = expect.stringMatching(/^HTTP 401: key \d+ has expired$/);
  expect(short[0]).toEqual({ reason: "configuration", agent: "payment", cause, until: at(10), of: 4 });
  expect(groups[0]).toMatchObject({ causes: [cause], steps: ["capturePayment", "takePayment"], retried: 4 });
  expect(short).toHaveLength(10);
  expect(short).toContainEqual({
    reason: "poll",
    agent: "inventory",
    cause: "its poll is overdue",
    until: null,
    of: 1,
  });
  expect(short).toContainEqual({ reason: "poll", agent: "shipping", cause: "HTTP 500", until: at(9), of: 1 });
  expect(short).toContainEqual({ reason: "start", agent: null, cause: null, until: null, of: 2 });
  expect(groups.find(({ wait: { reason } }) => reason === "start")?.wait.since).toBe(NOON);
  expect(short).toContainEqual({ reason: "retry", agent: "payment", cause: "HTTP 503", until: at(9), of: 1 });
  expect(short).toContainEqual({ reason: "agent", agent: "shipping", cause: null, until: null, of: 2 });
  const untaken = "the agent inventory did not take it up in time (1 in a row)";
  expect(short).toContainEqual({ reason: "agent", agent: "inventory", cause: untaken, until: null, of: 2 });
  expect(short).toContainEqual({ reason: "service", agent: "fraud", cause: "HTTP 500", until: at(8), of: 1 });
  expect(short).toContainEqual({ reason: "supervisor", agent: null, cause: null, until: null, of: 3 });
  const unsent = { reason: "message", agent: null, cause: "no queue private-replies", until: at(7), of: 3 };
  expect(short).toContainEqual(unsent);
  const { jobs, next } = await heldUp.page(groups[0]?.id, 0, 2);
  const inGroup = ["captured-1", "held-1", "held-2", "held-3"];
  expect([jobs.filter(({ jobId }) => inGroup.includes(jobId)).length, next]).toEqual([2, 2]);
});
