// What the alerts filter for, seen in a real run: each event and metric that a query names comes, with the properties it reads.

import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createCosmosJobStore } from "@scheduler-agent-supervisor/core/create-app";
import { after } from "@scheduler-agent-supervisor/core/domain";
import { PART_NAMES } from "@scheduler-agent-supervisor/local";
import { openTraces } from "@scheduler-agent-supervisor/local/traces";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CHAIN, GRAPH, HASTY_TRIP, sampleOrder, sampleRecord } from "../support/orders.ts";
import { sampleContainer } from "../support/sample-container.ts";
import { containerOf } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

interface Filter {
  readonly alert: string;
  readonly table: "AppEvents" | "AppMetrics";
  readonly names: readonly string[];
  /** Properties that the query reads of them. */
  readonly properties: readonly string[];
}

/** Each statement of a query: the names that it filters for and the properties that it reads; the last may go on with the first's. */
function filtersOf(file: string): Filter[] {
  const alert = basename(file, ".kql");
  const [first = "", ...others] = readFileSync(join(ROOT, file), "utf8").split(/;\n/);
  return [first, ...others].flatMap((text): Filter[] => {
    const source = /\bApp\w+/.test(text) ? text : first;
    const table = /\b(AppEvents|AppMetrics)\b/.exec(source)?.[1] as Filter["table"] | undefined;
    const condition = /Name (?:==|in) (\([^)]*\)|"[^"]*")/.exec(source)?.[1] ?? "";
    const names = [...condition.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name);
    const properties = new Set([...text.matchAll(/Properties\.(\w+)/g)].map(([, name = ""]) => name));
    for (const name of OF_OUTAGES) properties.delete(name);
    return table && names.length > 0 ? [{ alert, table, names, properties: [...properties] }] : [];
  });
}

/** Only events of an outage of bus or store have them, or after minutes; telemetry/alike.test.ts and hold-message.test.ts see them. */
const OF_OUTAGES = ["alike", "outage"];

const filters = globSync("infra/alerts/*.kql", { cwd: ROOT }).sort().flatMap(filtersOf);

const data = mkdtempSync(join(tmpdir(), "alerts-"));
const adapted = adaptApp([CHAIN, GRAPH, HASTY_TRIP], { breaker: { failures: 1 } });
let app: TestStack;
beforeAll(async () => {
  throwFor("alert-9");
  app = await startTestStack({
    data,
    appDir: adapted.dir,
    parts: PART_NAMES,
    cosmosFile: withoutAuditLog(),
    appSettings: {
      GaugesSchedule: "* * * * * *",
      OTEL_METRIC_EXPORT_INTERVAL: "1000",
      OTEL_BSP_SCHEDULE_DELAY: "200",
      HousekeepingSchedule: "* * * * * *",
      EndedJobsKeptFor: "P1D",
    },
  });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted[Symbol.dispose]();
  rmSync(data, { recursive: true, force: true });
});

/** The app's own code throws for that order. */
function throwFor(orderId: string): void {
  const file = join(adapted.dir, "dist/shared/agents/fraud.js");
  const code = readFileSync(file, "utf8");
  const changed = code.replace('path: "checks"', `path: orderId === "${orderId}" ? undefined.path : "checks"`);
  if (changed === code) throw new Error(`${file} is not what it was`);
  writeFileSync(file, changed);
}

/** It can't be written then. */
function withoutAuditLog(): string {
  const { database, containers } = JSON.parse(readFileSync(join(ROOT, "infra/entities/cosmos.json"), "utf8"));
  const file = join(data, "cosmos.json");
  writeFileSync(file, JSON.stringify({ database, containers: containers.slice(0, 1) }));
  return file;
}

const inError = ({ processState, outbox }: { processState: string; outbox: readonly unknown[] }) =>
  processState === "Error" && outbox.length === 0;

async function operate(orderId: string, action: string): Promise<void> {
  const response = await app.call(`api/jobs/${orderId}/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ reason: "test" }),
  });
  expect(response.status, await response.text()).toBe(200);
}

/** An order in Error, one marked resolved, one compensated, one cancelled, a car that may be rented and can't be given back, a missing reply queue, a broken endpoint, one that rejects us, a record that nobody can judge, one that is held up, code that throws. */
async function makeTrouble(): Promise<void> {
  for (const orderId of ["alert-1", "alert-2"]) {
    await app.switchOn("payment", { kind: "reject", message: "no", match: { orderId } });
    await app.shop.send(madeOrder(orderId));
    await app.eventually(orderId, inError);
  }
  await operate("alert-2", "markResolved");
  await app.switchOn("shipping", { kind: "reject", message: "no", match: { orderId: "alert-3" } });
  await app.shop.send(madeOrder("alert-3"));
  await app.eventually("alert-3", ({ processState, outbox }) => processState === "Compensated" && outbox.length === 0);
  await app.switchOn("inventory", { kind: "down", calls: 3 });
  await app.switchOn("shipping", { kind: "reject", status: 401, calls: 1, match: { orderId: "alert-4" } });
  const sender = app.bus.createSender("jobs");
  await sender.sendMessages({ body: madeOrder("alert-4"), messageId: "alert-4", replyTo: "replies-nowhere" });
  await sender.close();
  await app.eventually("alert-4", ({ processState }) => processState === "Processed");
  const match = { orderId: "alert-6" };
  await app.switchOn("car", { kind: "loseReply", path: "/rentals", match });
  await app.switchOn("car", { kind: "reject", path: "/rentals/*/cancel", status: 409, match });
  await app.shop.send({ ...madeOrder("alert-6"), workflow: HASTY_TRIP.name });
  const now = new Date().toISOString();
  const lost = { ...sampleRecord("alert-5", { ...CHAIN, version: 99 }), dueAt: after(now, -60_000) };
  await createCosmosJobStore(sampleContainer(containerOf(app.settings))).create(sampleOrder("alert-5"), lost);
  await app.shop.send(sampleOrder("alert-5"));
  const waiting = { ...sampleRecord("alert-7"), dueAt: after(now, 3_600_000) };
  await createCosmosJobStore(sampleContainer(containerOf(app.settings))).create(sampleOrder("alert-7"), waiting);
  await operate("alert-7", "cancel");
  await app.switchOn("fraud", { kind: "slow", delayMs: 60_000, match: { orderId: "alert-8" } });
  await app.shop.send(madeOrder("alert-8"));
  await app.shop.send(madeOrder("alert-9"));
}

test("every alert that asks the logs has a filter that is read here, but those over the platform's own tables", () => {
  const read = new Set(filters.map(({ alert }) => alert));
  const all = globSync("infra/alerts/*.kql", { cwd: ROOT }).map((file) => basename(file, ".kql"));
  expect(all.filter((alert) => !read.has(alert))).toEqual(["function-failures"]);
});

test("what the alerts filter for comes in a real run, with the properties that they read", async () => {
  await makeTrouble();
  const missing = () => {
    const reader = openTraces(join(data, "traces"));
    if (!reader) return ["the collector has kept nothing"];
    try {
      return filters.flatMap(({ alert, table, names, properties }) => {
        const seen = names.map((name) =>
          table === "AppEvents"
            ? reader.eventsNamed(name).map(({ attributes }) => attributes)
            : reader.points().flatMap(({ metric, attributes }) => (metric === name ? [attributes] : [])),
        );
        const absent = names.filter((_, index) => seen[index]?.length === 0).map((name) => `${alert}: no ${name}`);
        const has = (property: string) => seen.flat().some((attributes) => property in Object(parsed(attributes)));
        const unread = properties.filter((property) => !has(property)).map((name) => `${alert}: nothing has ${name}`);
        return [...absent, ...unread];
      });
    } finally {
      reader.close();
    }
  };
  await expect.poll(missing, { interval: 500 }).toEqual([]);
});

function parsed(attributes: unknown): unknown {
  return typeof attributes === "string" ? JSON.parse(attributes) : attributes;
}
