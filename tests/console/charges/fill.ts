// Fills the local Cosmos DB server's own files with orders that are over, that failed and that are in flight: a million in minutes.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { StateRecord, StepRecord } from "@scheduler-agent-supervisor/core/domain";
import { startCosmos } from "@scheduler-agent-supervisor/local/cosmos";
import { Catalog, Database, documentKey, type JsonObject } from "@scheduler-agent-supervisor/local/storage";
import { ROOT } from "../../../cli/settings.ts";
import { GRAPH, sampleOrder, sampleRecord } from "../../support/orders.ts";

export interface Filling {
  /** The first ones are numbered from here. */
  readonly from: number;
  /** Orders that are over: nineteen of twenty are Processed, the others have ended in Error and ask nothing of anybody. */
  readonly ended: number;
  /** Orders in Error that need a person, of some causes. */
  readonly failed: number;
  readonly inFlight: number;
  /** Whether those that failed stand as an agent's rejection leaves them, so that they can be resubmitted. */
  readonly isRejected?: boolean;
  /** Whether their workflow has a deadline: it is over where the order is, and still to come where it is in flight. */
  readonly hadDeadline?: boolean;
}

/** So much time between two orders: an hour has some hundreds, a million are two months. */
const APART_MS = 5000;
const TOOK_MS = 2000;
const IN_ONE_WRITE = 2000;

const instant = (ms: number): string => new Date(ms).toISOString();

/** Nobody else may have the files open. */
export async function fill(folder: string, filling: Filling, now: number): Promise<void> {
  const data = join(folder, "cosmos");
  const resources = JSON.parse(readFileSync(join(ROOT, "infra/entities/cosmos.json"), "utf8"));
  await (await startCosmos({ port: 0, data, resources, log: () => {} })).close();
  const database = new Database(join(data, "cosmos.db"));
  try {
    const container = new Catalog(database).container("jobs", "jobs");
    if (!container) throw new Error("there is no container for jobs");
    const records = recordsOf(filling, now);
    for (let isMore = true; isMore; ) {
      isMore = await database.write(() => {
        for (let written = 0; written < IN_ONE_WRITE; written += 1) {
          const next = records.next();
          if (next.done) return false;
          const { jobId: orderId } = next.value;
          const pk = documentKey(container, JSON.stringify([orderId])) ?? "";
          const content = { id: "job", orderId, jobId: orderId, schemaVersion: 1, job: sampleOrder(orderId) };
          container.items.insert(pk, "job", content as unknown as JsonObject, now);
          const state = { id: "state", orderId, ...structuredClone(next.value) };
          container.items.insert(pk, "state", state as unknown as JsonObject, now);
        }
        return true;
      });
    }
  } finally {
    database.close();
  }
}

function* recordsOf(
  { from, ended, failed, inFlight, isRejected = false, hadDeadline = false }: Filling,
  now: number,
): Generator<StateRecord> {
  for (let at = 0; at < ended; at += 1) {
    const record = {
      ...processed(`stored-${from + at}`, now - TOOK_MS - at * APART_MS),
      ...(hadDeadline && { deadlineAt: null }),
    };
    yield at % 20 === 0 ? inError(record, "resolved", "refunded by the bank") : record;
  }
  for (let at = 0; at < failed; at += 1) {
    const record = processed(`failed-${from + at}`, now - TOOK_MS - at * APART_MS);
    const kind = (["rejected", "rejected", "expired", "compensationIncomplete"] as const)[at % 4] ?? "rejected";
    const message = `card ${4000 + at} of bank ${"abcdefghij"[at % 10]} has expired`;
    yield inError(isRejected ? rejectedIn(record, "takePayment", message) : record, kind, message);
  }
  for (let at = 0; at < inFlight; at += 1) {
    const { overAt: _, ...record } = processed(`flying-${from + at}`, now - at * 100);
    const later = instant(now + 600_000);
    const deadline = hadDeadline && { deadlineAt: later };
    yield { ...record, processState: "Processing", completeBy: later, dueAt: later, ...deadline };
  }
}

/** As a completed order's record is, with the result and the times of each step. */
function processed(orderId: string, createdMs: number): StateRecord {
  const createdAt = instant(createdMs);
  const endedAt = instant(createdMs + TOOK_MS);
  const record = sampleRecord(orderId, GRAPH);
  const steps = Object.entries(record.steps).map(([name, step]): [string, StepRecord] => [
    name,
    {
      ...step,
      state: "Completed",
      scheduledAt: createdAt,
      startBy: endedAt,
      completeBy: endedAt,
      startedAt: createdAt,
      endedAt,
      endpoint: "primary",
      because: "healthy, with the most spare capacity (12 of 16)",
      result: { id: `${name}-${orderId}`, amount: 2150 },
      completedIn: 1,
    },
  ]);
  const { dueAt: _, ...rest } = record;
  return {
    ...rest,
    processState: "Processed",
    steps: Object.fromEntries(steps),
    history: ["submitted", ...Object.keys(record.steps).map((name) => `${name}: Completed`)].map((what) => ({
      at: endedAt,
      what,
      by: `${orderId}-1@hub`,
    })),
    overAt: endedAt,
    enqueuedAt: createdAt,
    createdAt,
    updatedAt: endedAt,
  };
}

/** Of the steps only the first is done, and those beside the rejected one. */
function rejectedIn(record: StateRecord, name: string, message: string): StateRecord {
  const { steps } = sampleRecord(record.jobId, GRAPH);
  const { reserveStock, checkFraud, [name]: rejected } = record.steps;
  if (!reserveStock || !checkFraud || !rejected) throw new Error(`no step ${name}`);
  const failed: StepRecord = { ...rejected, state: "Failed", result: null, error: message };
  return { ...record, steps: { ...steps, reserveStock, checkFraud, [name]: failed } };
}

function inError(
  record: StateRecord,
  kind: "rejected" | "expired" | "compensationIncomplete" | "resolved",
  message: string,
): StateRecord {
  const { overAt, ...rest } = record;
  const at = record.updatedAt;
  const error = { kind, message, step: "takePayment", agent: "payment", at };
  return { ...rest, processState: "Error", error, ...(kind === "resolved" && { overInErrorAt: overAt ?? at }) };
}
