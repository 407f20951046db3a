// An operator over HTTP on the real stack: finds orders, fixes the cause, resubmits, compensates, extends.

import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack();
});
afterAll(() => app?.[Symbol.asyncDispose]());

type Json = Record<string, unknown>;

const SERVICES = ["inventory", "payment", "fraud", "shipping"];
const OPERATOR = { "x-ms-client-principal-name": "ada@example.com" };

async function ask(path: string, body?: unknown, headers: Record<string, string> = OPERATOR) {
  const options =
    body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: typeof body === "string" ? body : JSON.stringify(body),
        };
  const response = await app.call(`api/jobs${path}`, options);
  return { status: response.status, body: (await response.json()) as Json, etag: response.headers.get("etag") };
}

const ended = ({ processState, outbox }: StateRecord) =>
  processState === "Processed" || (hasEnded(processState) && outbox.length === 0);

async function callsByKey(orderId: string): Promise<Record<string, number>> {
  const effects = (await Promise.all(SERVICES.map((service) => app.effects(service)))).flat();
  return Object.fromEntries(
    effects.flatMap(({ key, calls }) => (key.startsWith(`${orderId}:`) ? [[key, calls] as const] : [])),
  );
}

/** An order whose payment is rejected: the fault stands for one call, then its cause is fixed. */
async function rejected(orderId: string): Promise<StateRecord> {
  const match = { orderId };
  // The check beside it is done first, so that its outcome is recorded.
  await app.switchOn("payment", { kind: "slow", delayMs: 1000, calls: 1, match });
  await app.switchOn("payment", { kind: "reject", status: 402, message: "card expired", calls: 1, match });
  await app.shop.send(madeOrder(orderId));
  const record = await app.eventually(orderId, ended);
  expect(record).toMatchObject({ processState: "Error", direction: "forward", error: { step: "takePayment" } });
  return record;
}

const subjects = (orderId: string) => app.statuses(orderId).map(({ subject }) => subject);

describe("resubmit", () => {
  test("P9 once the cause is fixed the order goes on from the failed step; completed ones are not run again", async () => {
    await rejected("fix-1");
    const before = await callsByKey("fix-1");
    const answer = await ask("/fix-1/resubmit", { reason: "card renewed" });
    expect(answer).toMatchObject({ status: 200, body: { state: "Pending", attempt: 2, published: true } });
    const record = await app.eventually("fix-1", ended);
    expect(record).toMatchObject({ processState: "Processed", attempt: 2, failureCount: 0, error: null });
    const after = await callsByKey("fix-1");
    for (const key of ["fix-1:reserveStock:forward", "fix-1:checkFraud:forward"]) {
      expect(before[key], key).toBe(1);
      expect(after[key], key).toBe(1);
    }
    expect(Object.keys(after).filter((key) => key.includes("takePayment"))).toEqual(["fix-1:takePayment:forward:2"]);
    expect(record.history).toContainEqual({
      at: expect.any(String),
      what: "resubmitted, attempt 2: card renewed",
      by: "ada@example.com",
    });
    await expect.poll(() => subjects("fix-1").at(-1)).toBe("Completed");
    expect(subjects("fix-1")).toContain("RetryScheduled");
  });

  test("P9 with an edit the steps still to be run work on the new content", async () => {
    await rejected("edit-1");
    const order = {
      ...madeOrder("edit-1"),
      paymentToken: "tok_new",
      lines: [{ sku: "TEA-1", quantity: 1, unitPrice: 7 }],
    };
    const answer = await ask("/edit-1/resubmit", { reason: "another card", job: order });
    expect(answer).toMatchObject({ status: 200, body: { jobRevision: 2 } });
    const record = await app.eventually("edit-1", ended);
    expect(record).toMatchObject({ processState: "Processed", jobRevision: 2 });
    expect(record.steps["takePayment"]?.result).toMatchObject({ amount: 7 });
    expect((await ask("/edit-1")).body).toMatchObject({ job: { paymentToken: "tok_new" } });
    expect(await callsByKey("edit-1")).toMatchObject({
      "edit-1:reserveStock:forward": 1,
      "edit-1:takePayment:forward:2": 1,
    });
  });
});

test("P12 an action at the version that was looked at; a stale one is answered with today's state", async () => {
  await rejected("version-1");
  const seen = await ask("/version-1");
  expect(seen.etag).toMatch(/^".+"$/);
  expect(seen.body["etag"]).toBe(seen.etag);
  const at = (etag: string | null) => ({ ...OPERATOR, "if-match": etag ?? "" });
  const settled = await ask("/version-1/markResolved", { reason: "refunded" }, at(seen.etag));
  expect(settled).toMatchObject({ status: 200, body: { state: "Error", etag: settled.etag } });
  expect(settled.etag).not.toBe(seen.etag);
  expect(await ask("/version-1/resubmit", { reason: "card renewed" }, at(seen.etag))).toMatchObject({
    status: 412,
    body: { jobId: "version-1", state: "Error", attempt: 1, etag: settled.etag, error: expect.any(String) },
    etag: settled.etag,
  });
  expect((await ask("/version-1/resubmit", { reason: "r" }, at("version 1"))).status).toBe(400);
  expect((await ask("/version-1")).etag).toBe(settled.etag);
  expect((await ask("/version-1/resubmit", { reason: "r" }, at(settled.etag))).status).toBe(200);
});

describe("compensate", () => {
  test("P13 an order in Error is left with every effect compensated; resubmitted, it has effects of its own", async () => {
    await rejected("back-1");
    expect(await ask("/back-1/compensate", { reason: "shop asked" })).toMatchObject({
      status: 200,
      body: { state: "Pending", direction: "compensate", attempt: 2 },
    });
    const compensated = await app.eventually("back-1", ({ processState }) => processState === "Compensated");
    expect(compensated.steps["reserveStock"]).toMatchObject({ state: "Compensated" });
    expect(await callsByKey("back-1")).toMatchObject({
      "back-1:reserveStock:forward": 1,
      "back-1:reserveStock:compensate": 1,
    });
    await expect.poll(() => subjects("back-1").at(-1)).toBe("Compensated");

    expect(await ask("/back-1/resubmit", { reason: "shop wants it after all" })).toMatchObject({ status: 200 });
    expect(await app.eventually("back-1", ({ processState }) => processState === "Processed")).toMatchObject({
      direction: "forward",
      attempt: 3,
    });
    expect(await callsByKey("back-1")).toMatchObject({
      "back-1:reserveStock:forward": 1,
      "back-1:reserveStock:forward:2": 1,
      "back-1:takePayment:forward:2": 1,
      "back-1:arrangeShipping:forward:2": 1,
    });
  });

  test("P13 a running order is compensated at once, but for what an agent is at: that and what came before it once its time is over", async () => {
    await app.switchOn("shipping", { kind: "down", forMs: 60_000, path: "/shipments", match: { orderId: "stop-1" } });
    await app.shop.send(madeOrder("stop-1"));
    const running = await app.eventually("stop-1", ({ steps }) => steps["arrangeShipping"]?.state === "Running");
    const completeBy = running.steps["arrangeShipping"]?.completeBy ?? "";
    const answer = await ask("/stop-1/compensate", { reason: "shop asked" });
    expect(answer).toMatchObject({ status: 200, body: { direction: "compensate", state: "Pending" } });
    const record = await app.eventually("stop-1", ended, 30_000);
    // The second attempt waits for what is at work, and the third one goes on when nobody is any more: no failure of anybody's.
    expect(record).toMatchObject({
      processState: "Compensated",
      attempt: 3,
      direction: "compensate",
      failureCount: 0,
    });
    expect((record.steps["takePayment"]?.compensation?.startedAt ?? "") > completeBy).toBe(true);
    const keys = Object.keys(await callsByKey("stop-1"));
    expect(keys).toContain("stop-1:takePayment:compensate");
    expect(keys).toContain("stop-1:reserveStock:compensate");
    expect(await app.effects("shipping", "stop-1")).toEqual([]);
  });
});

test("P11 an extension keeps the supervisor from an order that runs late", async () => {
  await app.switchOn("shipping", { kind: "down", forMs: 60_000, match: { orderId: "late-1" } });
  await app.shop.send(madeOrder("late-1"));
  const running = await app.eventually("late-1", ({ steps }) => steps["arrangeShipping"]?.state === "Running");
  expect(await ask("/late-1/extend", { reason: "service is being fixed", by: "PT2M" })).toMatchObject({ status: 200 });
  const stepEndsMs = Date.parse(running.steps["arrangeShipping"]?.completeBy ?? "");
  await new Promise((resolve) => setTimeout(resolve, stepEndsMs - Date.now() + 4000));
  const record = await app.eventually("late-1", () => true);
  expect(record).toMatchObject({ processState: "Processing", attempt: 1, failureCount: 0 });
  expect(Date.parse(record.dueAt ?? "") - stepEndsMs).toBe(120_000);
});

describe("what is rejected", () => {
  test("an order that is not there, and one whose state does not allow it", async () => {
    const absent = { status: 404, body: { error: "There is no order nowhere." }, etag: null };
    expect(await ask("/nowhere")).toEqual(absent);
    expect((await ask("/nowhere/compensate", { reason: "r" })).status).toBe(404);
    await app.shop.send(madeOrder("done-1"));
    await app.eventually("done-1", ended);
    for (const [action, body] of Object.entries({ resubmit: {}, compensate: {}, extend: { by: "PT1M" } })) {
      const answer = await ask(`/done-1/${action}`, { reason: "r", ...body });
      expect(answer).toEqual({
        status: 409,
        body: { state: "Processed", reason: expect.stringContaining("this one is Processed") },
        etag: null,
      });
    }
  });

  test("a request that is at fault: one answer names every fault, and nothing changes", async () => {
    const before = await rejected("fault-1");
    const order = { ...madeOrder("other"), currency: "euro" };
    const answer = await ask("/fault-1/resubmit", { job: order, surprise: 1 });
    expect(answer.status).toBe(400);
    const faults = (answer.body["faults"] as string[]).join("\n");
    for (const part of ["reason", "surprise", "currency"]) expect(faults).toContain(part);
    expect((await ask("/fault-1/compensate", "{not json")).status).toBe(400);
    expect((await ask("/fault-1/compensate", { reason: "r" }, { "content-type": "text/plain" })).status).toBe(415);
    expect((await ask("?limit=0&state=Lost")).status).toBe(400);
    const [after] = await app.records.of(["fault-1"]);
    expect(after).toMatchObject({ attempt: before.attempt, processState: "Error" });
  });
});

test("lists and pages what is there, by filter", async () => {
  const orderIds = ["page-1", "page-2", "page-3", "page-4", "page-5"];
  for (const orderId of orderIds) await app.shop.send(madeOrder(orderId));
  for (const orderId of orderIds) await app.eventually(orderId, ended);
  const seen: string[] = [];
  let continuation = "";
  do {
    const page = (await ask(`?q=page-&state=Processed&limit=2${continuation}`)).body;
    const orders = page["jobs"] as { jobId: string }[];
    expect(orders.length).toBeLessThanOrEqual(2);
    seen.push(...orders.map(({ jobId }) => jobId));
    continuation = page["continuation"] ? `&continuation=${page["continuation"]}` : "";
  } while (continuation);
  expect([...seen].sort()).toEqual(orderIds);
  expect((await ask("?q=page-&state=Error")).body).toEqual({ jobs: [] });
  await rejected("found-1");
  expect((await ask("?q=found-&step=takePayment&workflow=order-fulfilment")).body).toMatchObject({
    jobs: [{ jobId: "found-1", processState: "Error", steps: { takePayment: "Failed" } }],
  });
  expect((await ask("/found-1")).body).toMatchObject({
    job: { orderId: "found-1" },
    record: { processState: "Error", steps: { reserveStock: { state: "Completed" } }, history: expect.any(Array) },
    actions: { resubmit: { allowed: true }, extend: { allowed: false } },
  });
});
