// P26: an agent that nobody works for, or that is paused: its orders wait and are named, and everything else goes on at its usual pace.

import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { NO_BACKLOG } from "@scheduler-agent-supervisor/core/scheduling";
import { afterEach, expect, test } from "vitest";
import { FRAUD_QUEUE, FRAUD_WORKER } from "../support/fraud-worker.ts";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const HELD = 200;
/** Many times what each takes while 200 others begin, on a slow machine too. What is held back waits for minutes: until the agent is back. */
const USUAL_MS = 60_000;
/** What was held is done by then, and what came after it. */
const DRAINED_MS = 120_000;

let app: TestStack;
afterEach(() => app?.[Symbol.asyncDispose]());

const ended = ({ processState }: StateRecord) => hasEnded(processState);
const FAST = { StartWithin: "PT3S" };
const tuning = { timing: { clockSkewMs: 500, holdWithinMs: 20_000 } };

async function sendHeldUp(): Promise<string[]> {
  const ids: string[] = [];
  await app.shop.sendMany(HELD, undefined, { onSent: (orderId) => void ids.push(orderId) });
  return ids;
}

/** From this number on the agent is held up. How many more are admitted before that is seen depends on the machine. */
async function expectMoreThanMayWait(ids: readonly string[]): Promise<void> {
  await expect.poll(async () => (await app.records.of(ids)).length).toBeGreaterThan(NO_BACKLOG);
}

/** Orders that do not need the agent, and an urgent one that does. */
async function expectUsualPace(name: string): Promise<void> {
  const smoke = { ...madeOrder(`${name}-smoke`), workflow: "smoke" };
  const returned = { ...madeOrder(`${name}-return`), workflow: "returns", returnOf: "made-earlier" };
  await app.shop.send(smoke);
  await app.shop.send(returned);
  await app.shop.send({ ...madeOrder(`${name}-urgent`), priority: "high" });
  await app.eventually(`${name}-smoke`, ({ processState }) => processState === "Processed", USUAL_MS);
  await app.eventually(`${name}-return`, ended, USUAL_MS);
  await app.eventually(`${name}-urgent`, ({ steps }) => steps["reserveStock"]?.state === "Completed", USUAL_MS);
}

test("P26 P10 a dead queue agent: its orders' failures are counted and named, other workflows and urgent orders go on, and all is well when it is back", async () => {
  app = await startTestStack({ ...FRAUD_WORKER, appSettings: { ...FRAUD_WORKER.appSettings, ...FAST }, tuning });
  const comesBack = await app.switchOn("fraud", { kind: "down", path: FRAUD_QUEUE });
  const ids = await sendHeldUp();
  await expectMoreThanMayWait(ids);
  await expectUsualPace("just-dead");
  // What waits is not overdue: its complete-by lies in the past only once it is.
  for (const { dueAt, completeBy, processState } of await app.records.of(ids)) {
    if (processState === "Processing") expect(completeBy).toBe(dueAt);
  }
  const [first = ""] = ids;
  const failed = await app.eventually(first, ({ failureCount }) => failureCount > 0, 60_000);
  expect(failed.steps["checkFraud"]?.expiry?.message).toContain("the agent fraud did not take it up in time");
  // Written first, then sent.
  await expect.poll(() => app.statuses(first).map(({ body }) => body.status)).toContain("RetryScheduled");
  await expectUsualPace("dead");
  await comesBack();
  const more = ["after-1", "after-2", "after-3"];
  for (const id of more) await app.shop.send(madeOrder(id));
  for (const id of more) await app.eventually(id, ({ processState }) => processState === "Processed", DRAINED_MS);
  await expect
    .poll(async () => (await app.records.of(ids)).filter(ended).length, { timeout: DRAINED_MS, interval: 1000 })
    .toBe(HELD);
  const records = await app.records.of(ids);
  expect(records.filter(({ processState }) => processState !== "Processed").map(({ jobId }) => jobId)).toEqual([]);
}, 600_000);

test("P26 a paused agent: its orders wait and count no failure, other workflows and urgent orders go on", async () => {
  app = await startTestStack({ appSettings: FAST, tuning });
  const post = async (change: "pause" | "resume") => {
    const response = await app.call("api/pauses", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ kind: "agent", name: "fraud", change, reason: "their database is moved" }),
    });
    expect(response.status, await response.clone().text()).toBe(200);
  };
  await post("pause");
  const ids = await sendHeldUp();
  await expectMoreThanMayWait(ids);
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  await expectUsualPace("paused");
  const waiting = await app.records.of(ids);
  expect(waiting.filter(({ failureCount }) => failureCount > 0)).toEqual([]);
  await post("resume");
  await app.shop.send(madeOrder("after-1"));
  await app.eventually("after-1", ({ processState }) => processState === "Processed", 40_000);
  await expect
    .poll(async () => (await app.records.of(ids)).filter(ended).length, { timeout: DRAINED_MS, interval: 1000 })
    .toBe(HELD);
  const records = await app.records.of(ids);
  expect(records.filter(({ processState }) => processState !== "Processed").map(({ jobId }) => jobId)).toEqual([]);
  expect(records.reduce((sum, { failureCount }) => sum + failureCount, 0)).toBe(0);
}, 600_000);
