// State records of version 0, the example of an older version: today's without what version 1 added. No released version wrote such.
import { NOT_STARTED, type StateRecord, type StepRecord, type StepRun } from "@scheduler-agent-supervisor/core/domain";
import { GRAPH, NOON, sampleRecord } from "../support/orders.ts";

export type StoredRecord = { readonly [name: string]: unknown; readonly jobId: string };

/** Of a record, of a step and of its compensation. */
export const UNKNOWN = { ofLater: { answer: 42 } };

const SOON = "2026-01-01T12:00:10.000Z";
const LATER = "2026-01-01T12:11:00.000Z";

const RUNNING: Partial<StepRun> = { state: "Running", attempt: 1, startedAt: NOON, completeBy: SOON };
const COMPLETED: Partial<StepRecord> = {
  ...RUNNING,
  ...{ state: "Completed", endpoint: "http://service/", because: "only one", endedAt: NOON },
  ...{ result: { id: "1" }, completedIn: 1 },
};
const HELD: Partial<StateRecord> = {
  processState: "Processing",
  lockedBy: "order-1-1@hub",
  completeBy: SOON,
  dueAt: SOON,
};

/** Who has ended is not due. */
type RecordChanges = Partial<Omit<StateRecord, "dueAt">> & { readonly dueAt?: string | undefined };
type Changes = { readonly [step: string]: Partial<StepRecord> };

const SAMPLES: { readonly [name: string]: readonly [record: RecordChanges, steps: Changes] } = {
  pending: [{}, {}],
  "in hand": [HELD, { reserveStock: COMPLETED, checkFraud: COMPLETED, takePayment: RUNNING }],
  retried: [
    { completeBy: LATER, dueAt: LATER, attempt: 2, failureCount: 1 },
    { reserveStock: COMPLETED, checkFraud: COMPLETED, takePayment: { retryCount: 1, startedAt: NOON } },
  ],
  "compensation in hand": [
    {
      ...{ ...HELD, lockedBy: "order-1-2@hub", attempt: 2, direction: "compensate" },
      error: { kind: "rejected", message: "no such address", step: "arrangeShipping", agent: "shipping", at: NOON },
    },
    {
      reserveStock: COMPLETED,
      checkFraud: COMPLETED,
      takePayment: { ...COMPLETED, compensation: { ...NOT_STARTED, ...RUNNING, attempt: 2 } },
      arrangeShipping: { ...RUNNING, state: "Failed", error: "no such address", endedAt: NOON },
    },
  ],
  processed: [
    { processState: "Processed", dueAt: undefined },
    Object.fromEntries(GRAPH.steps.map(({ name }) => [name, COMPLETED])),
  ],
  error: [
    {
      ...{ processState: "Error", dueAt: undefined, attempt: 2 },
      error: { kind: "rejected", message: "sold out", step: "reserveStock", agent: "inventory", at: NOON },
    },
    { reserveStock: { ...RUNNING, state: "Failed", error: "sold out", endedAt: NOON } },
  ],
};

/** Every sample, under an order id of its own, each with members that this app does not know. */
export const storedRecords = Object.entries(SAMPLES).map(([name, [changes, steps]]) => {
  const record = { ...sampleRecord("order-1", GRAPH), ...changes };
  const all = Object.entries(record.steps).map(([step, before]) => [step, asBefore({ ...before, ...steps[step] })]);
  const { schemaVersion: _, ...before } = { ...record, ...UNKNOWN, steps: Object.fromEntries(all) };
  const stored = JSON.parse(JSON.stringify(before)) as StoredRecord;
  const found: StoredRecord = { ...stored, jobId: `v0-${name.replaceAll(" ", "-")}` };
  return { name, record: found };
});

/** @throws where there is no such sample */
export function storedRecord(name: string): StoredRecord {
  const found = storedRecords.find((stored) => stored.name === name);
  if (!found) throw new Error(`no sample ${name}`);
  return found.record;
}

function asBefore({ compensation, ...step }: StepRecord): object {
  return { ...runBefore(step), compensation: compensation && runBefore(compensation) };
}

function runBefore({ scheduledAt: _, startBy: _start, waitCount: _count, ...run }: StepRun): object {
  return { ...run, ...UNKNOWN };
}
