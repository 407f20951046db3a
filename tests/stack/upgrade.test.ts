// The rehearsal of docs/how-to/upgrade.md: version n of the app, n+1, and back to n with orders of n+1 in flight. Nothing is lost or
// dead-lettered, what can't go on under n is held until n+1 is back, and an operator sees which orders those are.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { PART_NAMES } from "@scheduler-agent-supervisor/local";
import { openTraces } from "@scheduler-agent-supervisor/local/traces";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CHAIN, GRAPH } from "../support/orders.ts";
import { shortLocks } from "../support/short-locks.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const TIMEOUT_MS = 240_000;
/** A message that waits for another version is looked at again so often. */
const LOOK_AGAIN_MS = 30_000;

const [reserve, pay, ship] = CHAIN.steps;
if (!reserve || !pay || !ship) throw new Error("the chain has three steps");
const check = {
  name: "checkFraud",
  agent: "fraud",
  operation: "check",
  transport: "queue",
  compensation: "nothing",
} as const;

/** What n+1 brings: a fourth version of the workflow, which asks one agent over its queue, and a workflow of another name. */
const NEXT: Workflow = {
  name: "order-fulfilment",
  version: 4,
  policy: { failureThreshold: 1, waits: ["PT3S", "PT1S", "PT1S"], onExhausted: "fail", onRejected: "fail" },
  steps: [
    { ...reserve, completeWithin: "PT3S" },
    { ...check, after: ["reserveStock"], completeWithin: "PT6S" },
    { ...pay, after: ["checkFraud"], completeWithin: "PT3S" },
  ],
};
const GIFT: Workflow = { ...CHAIN, name: "gift", version: 1 };
const N = [CHAIN, GRAPH];
const N_PLUS_1 = [CHAIN, GRAPH, NEXT, GIFT];

const folder = mkdtempSync(join(tmpdir(), "upgrade-"));
const data = join(folder, "data");
let adapted: AdaptedApp;
let app: TestStack;
beforeAll(async () => {
  adapted = adaptApp(N, { timing: { claimWithinMs: 3000, clockSkewMs: 500 } });
  app = await startTestStack({
    appDir: adapted.dir,
    data,
    parts: PART_NAMES,
    queuesFile: shortLocks(folder),
    appSettings: { StartWithin: "PT3S", OTEL_BSP_SCHEDULE_DELAY: "200" },
  });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** As Azure does it: what runs is ended, and what starts has the new code. */
async function deploy(workflows: readonly Workflow[], signal: NodeJS.Signals): Promise<void> {
  await app.stack.kill("host", signal);
  adapted.deploy(workflows);
  await app.stack.restart("host");
}

const send = (orderId: string, more: object = {}) => app.shop.send({ ...madeOrder(orderId), ...more });
const processed = ({ processState }: StateRecord) => processState === "Processed";
const running = (step: string) => (record: StateRecord) => record.steps[step]?.state === "Running";

async function ask(path: string, body?: object) {
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await app.call(`api/${path}`, body ? post : {});
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** The orders that an event names, of those in which its cause names a missing workflow. */
function named(event: string): Set<unknown> {
  const reader = openTraces(join(data, "traces"));
  try {
    const events = reader?.eventsNamed(event) ?? [];
    const missing = events.filter(({ attributes }) => String(attributes["cause"]).includes("No workflow"));
    return new Set(missing.map(({ attributes }) => attributes["jobId"]));
  } finally {
    reader?.close();
  }
}

async function nothingIsLost(): Promise<void> {
  const { queues } = (await ask("dead-letters")).body as { queues: { queue: string; count: number }[] };
  expect(queues.length).toBeGreaterThan(5);
  for (const { queue, count } of queues) expect(count, queue).toBe(0);
}

/** Each step of the order had its effect once. */
async function oneEffectEach(orderId: string, services: readonly string[]): Promise<void> {
  const effects = (await Promise.all(services.map((service) => app.effects(service, orderId)))).flat();
  expect(effects.map(({ key }) => key).sort(), orderId).toHaveLength(services.length);
  expect(new Set(effects.map(({ key }) => key)).size, orderId).toBe(services.length);
}

let paymentIsBack: () => Promise<void>;
const HELD = ["running", "asked", "waiting"].map((name) => `next-${name}`);

test(
  "P28 upgrade: orders of n in flight go on under n+1, and new ones begin with its workflow",
  async () => {
    await app.switchOn("payment", { kind: "slow", delayMs: 2000, calls: 1, match: { orderId: "old-1" } });
    await send("old-1");
    await app.eventually("old-1", ({ steps }) => steps["reserveStock"]?.state === "Completed");
    await deploy(N_PLUS_1, "SIGTERM");
    expect(await app.eventually("old-1", processed, 40_000)).toMatchObject({ workflow: { version: GRAPH.version } });
    await send("next-0");
    expect(await app.eventually("next-0", processed)).toMatchObject({ workflow: { version: NEXT.version } });
    await send("gift-0", { workflow: "gift" });
    await app.eventually("gift-0", processed);
  },
  TIMEOUT_MS,
);

test(
  "P28 rollback: what n can't go on with is held and named, and n's own orders go through",
  async () => {
    // One whose agent is at work, one that is asked over a queue, one that waits for its next attempt, one that a person has to see to.
    await app.switchOn("inventory", { kind: "slow", delayMs: 2500, calls: 1, match: { orderId: "next-running" } });
    await app.switchOn("fraud", { kind: "slow", delayMs: 2500, calls: 1, match: { orderId: "next-asked" } });
    paymentIsBack = await app.switchOn("payment", { kind: "down", match: { orderId: "next-waiting" } });
    await app.switchOn("payment", { kind: "reject", message: "no", calls: 1, match: { orderId: "next-error" } });
    await send("next-error");
    await app.eventually("next-error", ({ processState }) => processState === "Error");
    await send("next-waiting");
    await app.eventually("next-waiting", ({ processState, attempt }) => processState === "Pending" && attempt === 2);
    await Promise.all(["next-running", "next-asked"].map((orderId) => send(orderId)));
    await app.eventually("next-running", running("reserveStock"));
    await app.eventually("next-asked", running("checkFraud"));
    await deploy(N, "SIGKILL");

    // Sent to n: a message of an order that it can't go on with, and orders of its own.
    await send("next-running");
    await send("gift-1", { workflow: "gift" });
    const own = Array.from({ length: 10 }, (_, index) => `own-${index}`);
    await Promise.all(own.map((orderId) => send(orderId)));
    for (const orderId of own) await app.eventually(orderId, processed);

    await expect.poll(() => named("RecoveryFailed")).toEqual(new Set(HELD));
    await expect.poll(() => named("MessagePostponed")).toContain("next-running");
    await expect.poll(() => named("MessagePostponed")).toContain("next-waiting");
    await expect.poll(() => named("MessagePostponed")).toContain("gift-1");
    const { workflows } = (await ask("workflows")).body as { workflows: object[] };
    const jobs = expect.objectContaining({ inError: 1 });
    expect(workflows).toContainEqual({ name: "order-fulfilment", version: NEXT.version, state: "missing", jobs });
    const rejected = await ask("jobs/next-error/resubmit", { reason: "test" });
    expect(rejected).toMatchObject({
      status: 409,
      body: { reason: expect.stringContaining(`order-fulfilment v${NEXT.version}`) },
    });
    await nothingIsLost();
  },
  TIMEOUT_MS,
);

test(
  "P28 n+1 again: what was held goes on to its end, with one effect for each step",
  async () => {
    await paymentIsBack();
    await deploy(N_PLUS_1, "SIGTERM");
    expect(await ask("jobs/next-error/resubmit", { reason: "n+1 is back" })).toMatchObject({ status: 200 });
    for (const orderId of [...HELD, "next-error", "gift-1"])
      await app.eventually(orderId, processed, LOOK_AGAIN_MS + 30_000);
    for (const orderId of [...HELD, "next-error", "next-0"])
      await oneEffectEach(orderId, ["inventory", "fraud", "payment"]);
    const { workflows } = (await ask("workflows")).body as { workflows: object[] };
    const none = { pending: 0, processing: 0, inError: 0 };
    expect(workflows).toContainEqual({
      name: "order-fulfilment",
      version: NEXT.version,
      state: "newest",
      jobs: none,
    });
    await nothingIsLost();
  },
  TIMEOUT_MS,
);
