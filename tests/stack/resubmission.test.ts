// An order whose compensation is exhausted, on the real stack: one request takes it on, in either direction.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { PART_NAMES } from "@scheduler-agent-supervisor/local";
import { openTraces } from "@scheduler-agent-supervisor/local/traces";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { GRAPH, hasty } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const data = mkdtempSync(join(tmpdir(), "resubmission-"));
const HASTY = hasty(GRAPH);
const COMPENSATED: Workflow = {
  ...HASTY,
  name: "hasty-compensated",
  version: 1,
  policy: { ...HASTY.policy, onExhausted: "compensate" },
};
const adapted = adaptApp([HASTY, COMPENSATED]);
let app: TestStack;
beforeAll(async () => {
  app = await startTestStack({
    data,
    appDir: adapted.dir,
    parts: PART_NAMES,
    appSettings: { OTEL_BSP_SCHEDULE_DELAY: "200" },
  });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted[Symbol.dispose]();
  rmSync(data, { recursive: true, force: true });
});

type Json = Record<string, unknown>;

async function ask(path: string, body?: unknown) {
  const headers = { "content-type": "application/json", "x-ms-client-principal-name": "ada@example.com" };
  const options = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await app.call(`api/${path}`, options);
  return { status: response.status, body: (await response.json()) as Json };
}

const LONG_MS = 60_000;
const ended = ({ processState, outbox }: StateRecord) =>
  processState === "Processed" || (hasEnded(processState) && outbox.length === 0);

/** Nobody delivers there, so the order is compensated; the charge can't be voided, because that operation is down. */
async function exhausted(orderId: string): Promise<StateRecord> {
  const match = { orderId };
  const repair = await app.switchOn("payment", { kind: "down", path: "/charges/*/void" });
  await app.switchOn("shipping", { kind: "reject", status: 422, message: "nobody delivers there", calls: 1, match });
  await app.shop.send(madeOrder(orderId));
  const record = await app.eventually(orderId, ended, LONG_MS);
  await repair();
  return record;
}

async function effectsOf(orderId: string): Promise<string[]> {
  const all = await Promise.all(["inventory", "payment", "shipping"].map((service) => app.effects(service)));
  const keys = all.flat().flatMap(({ key }) => (key.startsWith(`${orderId}:`) ? [key.slice(orderId.length + 1)] : []));
  return keys.sort();
}

const subjects = (orderId: string) => app.statuses(orderId).map(({ subject }) => subject);

test("P13 an exhausted compensation is compensationIncomplete with its list, for the client, the operator and the alert; what else was done is compensated", async () => {
  const record = await exhausted("list-1");
  expect(record).toMatchObject({
    processState: "Error",
    direction: "compensate",
    error: {
      kind: "compensationIncomplete",
      message: "not compensated: takePayment; the cause: nobody delivers there",
      cause: { kind: "rejected", step: "arrangeShipping" },
    },
    steps: {
      reserveStock: { state: "Compensated" },
      takePayment: { state: "Completed", compensation: { state: "Failed" } },
    },
  });
  await expect.poll(() => subjects("list-1").at(-1)).toBe("Failed");
  expect(app.statuses("list-1").at(-1)?.body).toMatchObject({
    detail: "not compensated: takePayment; the cause: nobody delivers there",
  });
  const events = () => {
    const reader = openTraces(join(data, "traces"));
    const named = (name: string) =>
      (reader?.eventsNamed(name) ?? []).map(({ attributes }) => ({ name, ...attributes }));
    try {
      return ["CompensationIncomplete", "JobErrored"].flatMap(named);
    } finally {
      reader?.close();
    }
  };
  await expect.poll(events).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        name: "CompensationIncomplete",
        jobId: "list-1",
        step: "takePayment",
        agent: "payment",
        message: expect.stringContaining("2 attempts ran out of time"),
      }),
      expect.objectContaining({ name: "JobErrored", jobId: "list-1", kind: "compensationIncomplete" }),
    ]),
  );
  const { body } = await ask("jobs/list-1");
  expect(body["actions"]).toMatchObject({ resubmit: { allowed: true, direction: "compensate", orForward: true } });
});

test("P10 P13 what failed forward is still counted when the order is compensated, and does not limit its compensation", async () => {
  await app.switchOn("shipping", { kind: "down", path: "/shipments", match: { orderId: "counted-1" } });
  await app.shop.send({ ...madeOrder("counted-1"), workflow: COMPENSATED.name });
  const record = await app.eventually("counted-1", ended, LONG_MS);
  expect(record).toMatchObject({ processState: "Compensated", failureCount: 2, error: { kind: "expired" } });
  expect(record.steps["arrangeShipping"]?.failureCount).toBe(2);
});

test("P9 one request, once the service is back: the compensation is finished, and the order is Compensated", async () => {
  await exhausted("back-1");
  const answer = await ask("jobs/back-1/resubmit", { reason: "payment is back" });
  expect(answer).toMatchObject({ status: 200, body: { state: "Pending", direction: "compensate", attempt: 5 } });
  const record = await app.eventually("back-1", ended, LONG_MS);
  expect(record).toMatchObject({
    processState: "Compensated",
    error: { kind: "rejected", message: "all that was done is compensated; the cause: nobody delivers there" },
  });
  expect(await effectsOf("back-1")).toEqual([
    "reserveStock:compensate",
    "reserveStock:forward",
    "takePayment:compensate",
    "takePayment:forward",
  ]);
  expect(record.history.map(({ what }) => what)).toContainEqual(
    "resubmitted, its compensation continues, attempt 5, failureCount 2 set to 0: payment is back",
  );
  await expect.poll(() => subjects("back-1").at(-1)).toBe("Compensated");
});

test("P9 one request forward: what may be compensated is compensated first, and each step then has one effect", async () => {
  await exhausted("on-1");
  const answer = await ask("jobs/on-1/resubmit", { reason: "address is in reach", direction: "forward" });
  expect(answer).toMatchObject({
    status: 200,
    body: { state: "Pending", direction: "compensate", thenForward: true },
  });
  const record = await app.eventually("on-1", ended, LONG_MS);
  expect(record).toMatchObject({ processState: "Processed", direction: "forward", error: null });
  expect(await effectsOf("on-1")).toEqual([
    "arrangeShipping:forward:2",
    "capturePayment:forward",
    "reserveStock:compensate",
    "reserveStock:forward",
    "reserveStock:forward:2",
    "takePayment:compensate",
    "takePayment:forward",
    "takePayment:forward:2",
  ]);
  await expect.poll(() => subjects("on-1").at(-1)).toBe("Completed");
});
