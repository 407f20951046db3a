// The census through the official SDK: it counts what is open, and no query of it meets an order that has ended. And what came in and was completed of late.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Container, SqlQuerySpec } from "@azure/cosmos";
import { createCosmosJobStore } from "@scheduler-agent-supervisor/core/create-app";
import { hasEnded, type JobError, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import {
  createJobGauges,
  createOpenErrorCounts,
  createOpenJobStore,
  createRecentJobs,
} from "@scheduler-agent-supervisor/operator/adapters";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { NOON, sampleOrder, sampleRecord } from "../support/orders.ts";
import { sampleContainer } from "../support/sample-container.ts";
import { containerOf } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const NOW = "2026-01-01T13:00:00.000Z";

let app: TestStack;
let container: Container;
beforeAll(async () => {
  app = await startTestStack({ parts: ["bus", "cosmos"], host: false });
  container = containerOf(app.settings);
  const store = createCosmosJobStore(sampleContainer(container));
  for (const [orderId, changes] of Object.entries(RECORDS)) {
    const { dueAt, ...record } = { ...sampleRecord(orderId), ...changes };
    const ended = hasEnded(record.processState);
    await store.create(sampleOrder(orderId), ended ? record : { ...record, ...(dueAt && { dueAt }) });
  }
});
afterAll(() => app?.[Symbol.asyncDispose]());

const inError = (kind: JobError["kind"], changes: Partial<StateRecord> = {}): Partial<StateRecord> => ({
  processState: "Error",
  error: { kind, message: "m", step: null, agent: null, at: NOW },
  ...changes,
});
const RECORDS: { readonly [orderId: string]: Partial<StateRecord> } = {
  "waiting-1": {},
  "waiting-2": {},
  "running-1": { processState: "Processing" },
  "rejected-1": inError("rejected"),
  "rejected-2": inError("rejected"),
  "compensating-1": inError("rejected", { processState: "Processing", direction: "compensate" }),
  "expired-1": inError("expired"),
  "manual-1": inError("compensationIncomplete", { direction: "compensate" }),
  "late-1": inError("deadlinePassed"),
  "ended-processed": { processState: "Processed", overAt: "2026-01-01T12:40:00.000Z" },
  "ended-late": {
    processState: "Processed",
    createdAt: "2026-01-01T12:30:00.000Z",
    enqueuedAt: "2026-01-01T12:29:00.000Z",
    overAt: "2026-01-01T12:45:00.000Z",
  },
  "ended-to-be-published": { processState: "Processed", overAt: null, keptUntil: null },
  "ended-closed": { processState: "Processed", keptUntil: "2026-01-08T12:50:00.000Z" },
  "ended-compensated": inError("rejected", { direction: "compensate", processState: "Compensated" }),
  "ended-settled": inError("resolved"),
};

test("counts the orders by state, and by kind those in Error that somebody has to see to", async () => {
  const counted = await Promise.all(
    createJobGauges(container, createOpenErrorCounts(container, Date.now)).map(
      async ({ of, count }) => [of, await count(NOW)] as const,
    ),
  );
  expect(counted).toEqual([
    [{ state: "Pending", kind: null }, 2],
    [{ state: "Processing", kind: null }, 2],
    [{ state: "Error", kind: "rejected" }, 2],
    [{ state: "Error", kind: "expired" }, 1],
    [{ state: "Error", kind: "compensationIncomplete" }, 1],
    [{ state: "Error", kind: "deadlinePassed" }, 1],
    ["overdue", 4],
  ]);
});

const LATER = "2026-01-01T13:00:00.001Z";

test("the orders that need a person: those with an error before an instant are counted, and the others read", async () => {
  const store = createOpenJobStore(container);
  const numbers = async (at: string) => (await store.countBefore(at)).map(({ count }) => count);
  expect([await numbers(NOW), await numbers(LATER)]).toEqual([
    [0, 0, 0, 0],
    [2, 1, 1, 1],
  ]);
  const open = ["expired-1", "late-1", "manual-1", "rejected-1", "rejected-2"];
  const idsOf = (jobs: readonly { readonly jobId: string }[]) => jobs.map(({ jobId }) => jobId).toSorted();
  const recent = await store.since(NOW, 5);
  expect([idsOf(recent.jobs), recent.isAll]).toEqual([open, true]);
  expect(await store.since(LATER, 5)).toEqual({ jobs: [], isAll: true });
  expect(await store.since(NOW, 3)).toMatchObject({ jobs: { length: 3 }, isAll: false });
  const few = await store.few(5);
  expect([idsOf(few.jobs), few.isAll]).toEqual([open, true]);
  expect(idsOf(await store.someBefore(LATER, "rejected", 5))).toEqual(["rejected-1", "rejected-2"]);
  expect(await store.someBefore(NOW, "rejected", 5)).toEqual([]);
});

test("of late: the newest that came in and that were completed, also where these are closed at once; what is in flight", async () => {
  const recent = createRecentJobs(container, undefined);
  const [newest] = await recent.received(NOON, 1);
  expect(newest).toBe("2026-01-01T12:30:00.000Z");
  expect(await recent.received(NOON, 100)).toHaveLength(Object.keys(RECORDS).length);
  expect(await recent.received("2026-01-01T12:20:00.000Z", 100)).toEqual([newest]);
  expect(await recent.completed(NOON, 100)).toEqual([
    { sentAt: "2026-01-01T12:29:00.000Z", endedAt: "2026-01-01T12:45:00.000Z" },
    { sentAt: NOON, endedAt: "2026-01-01T12:40:00.000Z" },
  ]);
  expect(await recent.completed(NOON, 1)).toHaveLength(1);
  const closing = createRecentJobs(container, 7 * 86_400_000);
  expect(await closing.completed(NOON, 100)).toEqual([{ sentAt: NOON, endedAt: "2026-01-01T12:50:00.000Z" }]);
  expect(await recent.inFlight(3)).toMatchObject({ workflows: { length: 4 }, isAll: true });
  const one = { name: "order-fulfilment", version: 1 };
  expect(await recent.inFlight(1)).toEqual({ workflows: [one, one], isAll: false });
});

/** The container, and the queries that go by it. */
function recorded_queries(): { readonly container: Container; readonly queries: SqlQuerySpec[] } {
  const queries: SqlQuerySpec[] = [];
  const items = {
    query(query: SqlQuerySpec) {
      queries.push(query);
      return container.items.query(query);
    },
  };
  return { container: { items } as unknown as Container, queries };
}

const countAll = (received: Container) =>
  Promise.all([
    ...createJobGauges(received, createOpenErrorCounts(received, Date.now)).map(({ count }) => count(NOW)),
    createOpenJobStore(received).countBefore(LATER),
  ]);

test("none of its queries meets an order that has ended, so their price never grows with these", async () => {
  const { container: received, queries } = recorded_queries();
  await countAll(received);
  expect(queries).toHaveLength(11);
  for (const { query, parameters = [] } of queries) {
    const listed = { query: query.replace("VALUE COUNT(1)", "VALUE c.jobId"), parameters };
    const { resources } = await container.items.query<string>(listed).fetchAll();
    expect(resources, JSON.stringify(parameters)).not.toHaveLength(0);
    expect(resources.filter((orderId) => orderId.startsWith("ended"))).toEqual([]);
  }
});

test("each filter has an index of its own: one over both properties where there are two", async () => {
  const { containers } = JSON.parse(readFileSync(join(ROOT, "infra/entities/cosmos.json"), "utf8"));
  const { includedPaths, compositeIndexes } = containers[0].indexingPolicy;
  const { container: received, queries } = recorded_queries();
  await countAll(received);
  for (const { query } of queries) {
    const paths = [...query.matchAll(/\bc((?:\.\w+)+) (?:=|<)/g)].map(([, path = ""]) => path.replaceAll(".", "/"));
    if (paths.length === 1) expect(includedPaths).toContainEqual({ path: `${paths[0]}/?` });
    else expect(compositeIndexes).toContainEqual(paths.map((path) => ({ path })));
  }
});
