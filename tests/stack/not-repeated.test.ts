// P34: services without idempotency keys, on the whole stack: the host dies while they work, and they have done it once. P32: a person records an
// outcome that is unknown.

import { setTimeout as sleep } from "node:timers/promises";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import type { ServiceFault } from "@scheduler-agent-supervisor/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdaptedApp, adaptApp, bookAtMostOnce } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const WITHIN_MS = 60_000;
const LIMIT_MS = 120_000;
const SLOW_MS = 1500;
const MANNERS = ["find", "atMostOnce"] as const;
type Manner = (typeof MANNERS)[number];

/** The flight service has no keys. What it has booked is paid for then. */
const FLIGHT: Workflow = {
  name: "flight",
  version: 1,
  policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
  outputs: { flight: "bookFlight.bookingId" },
  steps: [
    {
      name: "bookFlight",
      agent: "flight",
      operation: "book",
      after: [],
      completeWithin: "PT4S",
      compensation: { operation: "cancel", completeWithin: "PT10S" },
    },
    {
      name: "takePayment",
      agent: "payment",
      operation: "authorize",
      after: ["bookFlight"],
      completeWithin: "PT10S",
      compensation: { operation: "void", completeWithin: "PT10S" },
    },
  ],
};

const started: { readonly [manner in Manner]?: { readonly app: TestStack; readonly adapted: AdaptedApp } } = {};

beforeAll(async () => {
  for (const manner of MANNERS) {
    const adapted = adaptApp([FLIGHT]);
    if (manner === "atMostOnce") bookAtMostOnce(adapted);
    Object.assign(started, { [manner]: { app: await startTestStack({ appDir: adapted.dir }), adapted } });
  }
}, LIMIT_MS);
afterAll(async () => {
  for (const { app, adapted } of Object.values(started)) {
    await app[Symbol.asyncDispose]();
    adapted[Symbol.dispose]();
  }
});

function stackOf(manner: Manner): TestStack {
  const { app } = started[manner] ?? {};
  if (!app) throw new Error(`no stack for ${manner}`);
  return app;
}

const isOver = ({ processState }: StateRecord) => hasEnded(processState);

async function bookings(app: TestStack, orderId: string): Promise<number> {
  return (await app.effects("flight", orderId)).filter(({ action }) => action === "create").length;
}

async function inspect(app: TestStack, path: string, body?: object) {
  const headers = { "content-type": "application/json", "x-ms-client-principal-name": "eve@example.com" };
  const options = body && { method: "POST", headers, body: JSON.stringify(body) };
  const response = await app.call(`api/jobs/${path}`, options);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test.each(MANNERS)(
  "P34 P16 %s: the host is killed while the service books, and there is one booking",
  async (manner) => {
    const app = stackOf(manner);
    const orderId = `killed-${manner}`;
    await app.switchOn("flight", { kind: "slow", delayMs: SLOW_MS, calls: 1, match: { orderId } });
    await app.shop.send({ ...madeOrder(orderId), workflow: "flight" });
    await expect.poll(() => slowed(app), { timeout: WITHIN_MS, interval: 20 }).toBeGreaterThan(0);
    await app.stack.kill("host", "SIGKILL");
    await app.stack.restart("host");
    const record = await app.eventually(orderId, isOver, WITHIN_MS);
    // Whoever asked first is dead, and the service does what it asked for.
    await sleep(SLOW_MS);
    expect(await bookings(app, orderId)).toBe(1);
    if (manner === "find") {
      expect(record).toMatchObject({ processState: "Processed", steps: { bookFlight: { state: "Completed" } } });
    } else {
      expect(record).toMatchObject({ processState: "Error", error: { kind: "rejected", step: "bookFlight" } });
      expect(record.steps["bookFlight"]).toMatchObject({ state: "Failed", outcomeUnknown: true });
    }
  },
  LIMIT_MS,
);

async function slowed(app: TestStack): Promise<number> {
  const counts = await fetch(`${app.stack.addresses.remotes["flight"]}/$counts`);
  return ((await counts.json()) as { slowed: number }).slowed;
}

test.each(["done", "notDone"] as const)(
  "P32 the answer is lost: a person records %s, and the order goes on",
  async (outcome) => {
    const app = stackOf("atMostOnce");
    const orderId = `recorded-${outcome}`;
    const fault: ServiceFault = outcome === "done" ? { kind: "loseReply" } : { kind: "slow", delayMs: 600_000 };
    await app.switchOn("flight", { ...fault, calls: 1, match: { orderId } });
    await app.shop.send({ ...madeOrder(orderId), workflow: "flight" });
    await app.eventually(orderId, isOver, WITHIN_MS);
    const { body: seen } = await inspect(app, orderId);
    expect(seen["unknownOutcomes"]).toEqual([{ step: "bookFlight", direction: "forward" }]);
    const path = `${orderId}/steps/bookFlight/outcome`;
    const reason = "the airline's desk was asked";
    const wrong = await inspect(app, path, { outcome: "done", reason, result: { bookingId: 7 } });
    expect(wrong).toMatchObject({ status: 400, body: { faults: [expect.stringMatching(/^result\.bookingId: /)] } });
    const result = outcome === "done" && { result: { bookingId: "by-telephone" } };
    const recorded = await inspect(app, path, { outcome, reason, ...result });
    expect(recorded).toMatchObject({ status: 200, body: { state: "Pending", attempt: 2, published: true } });
    const record = await app.eventually(orderId, isOver, WITHIN_MS);
    expect(record.processState).toBe("Processed");
    expect(await bookings(app, orderId)).toBe(1);
    const booked = record.steps["bookFlight"]?.result?.["bookingId"];
    if (outcome === "done") expect(booked).toBe("by-telephone");
    const outputs = () => app.statuses(orderId).findLast(({ subject }) => subject === "Completed")?.body.outputs;
    await expect.poll(outputs, { timeout: WITHIN_MS }).toEqual({ flight: booked });
    expect((await inspect(app, path, { outcome: "notDone", reason })).status).toBe(409);
    const { body: audit } = await inspect(app, `${orderId}/audit`);
    const words = outcome === "done" ? "done" : "not done";
    expect(audit["entries"]).toContainEqual(
      expect.objectContaining({
        operator: "eve@example.com",
        action: "recordOutcome",
        reason,
        outcome: `done: bookFlight was recorded as ${words}`,
      }),
    );
  },
  LIMIT_MS,
);
