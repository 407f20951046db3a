// Two regions on one bus and store, one of them cut off for a minute and then back: nothing is lost, and each step has one effect.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SecondRegion, type SharedPart, startSecondRegion } from "../../cli/start/second-region.ts";
import { WITH_KEY } from "../support/host-key.ts";
import { madeOrder } from "../support/made-order.ts";
import { shortLocks } from "../support/short-locks.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { faultsOf } from "./check-life.ts";
import { evidenceOf } from "./evidence.ts";

const CUT_OFF_MS = 60_000;
const SEND_EVERY_MS = 500;
const BURST = 60;
const ALL_END_WITHIN_MS = 150_000;
const TIMEOUT_MS = 300_000;

const folder = mkdtempSync(join(tmpdir(), "regions-"));
let region: SecondRegion;
let app: TestStack;
beforeAll(async () => {
  region = await startSecondRegion();
  app = await startTestStack({
    hosts: 2,
    queuesFile: shortLocks(folder),
    tuning: { timing: { claimWithinMs: 5000 } },
    appSettings: (addresses) => ({
      StartWithin: "PT5S",
      ...region.settingsFor(addresses),
    }),
  });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  await region?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const claimedBy = ({ history }: StateRecord, hub: string) => history.some(({ by }) => by.endsWith(`@${hub}`));

async function cutOffFor(part: SharedPart): Promise<void> {
  const orderIds: string[] = [];
  const send = async () => {
    const orderId = `cut-${part}-${orderIds.length}`;
    orderIds.push(orderId);
    await app.shop.send(madeOrder(orderId));
  };
  const sendUntil = async (at: number) => {
    for (; Date.now() < at; await sleep(SEND_EVERY_MS)) await send();
  };
  const processed = async () => (await app.records.of(orderIds)).filter((one) => one.processState === "Processed");
  // More at once than one region takes, and for so long that each is cut off, or goes on, in the middle of its work.
  await app.switchOn("payment", { kind: "slow", delayMs: 3000, calls: BURST });
  await Promise.all(Array.from({ length: BURST }, send));
  const inHand = async () =>
    (await app.records.of(orderIds)).some((one) => one.processState === "Processing" && claimedBy(one, "host2"));
  await expect.poll(inHand).toBe(true);
  await region.cutOff(part, async () => {
    const alone = orderIds.length + 10;
    await sendUntil(Date.now() + CUT_OFF_MS);
    const late = (await processed()).filter(({ jobId: orderId }) => Number(orderId.split("-").at(-1)) > alone);
    expect(late.length).toBeGreaterThan(20);
  });
  await sendUntil(Date.now() + 5000);

  const giveUpAt = Date.now() + ALL_END_WITHIN_MS;
  for (const orderId of orderIds) {
    for (;;) {
      const faults = faultsOf({}, await evidenceOf(app, orderId));
      if (faults.length === 0) break;
      if (Date.now() > giveUpAt) throw new Error(`${orderId}: ${faults.join("; ")}`);
      await sleep(200);
    }
  }
  // It takes orders again.
  const back = async () => {
    const orderId = `back-${part}-${Date.now()}`;
    await app.shop.send(madeOrder(orderId));
    return claimedBy(await app.eventually(orderId, ({ processState }) => processState === "Processed"), "host2");
  };
  await expect.poll(back, { timeout: 90_000, interval: 500 }).toBe(true);
  const { url } = app.stack.addresses.hosts[0] ?? { url: "" };
  const deadLetters = (await (await fetch(`${url}/api/dead-letters`, { headers: WITH_KEY })).json()) as {
    queues: { count: number }[];
  };
  expect(deadLetters.queues.filter(({ count }) => count !== 0)).toEqual([]);
}

test(
  "[a region | orders under way in both | cut off from the bus for a minute] the other continues alone; all end, with one effect for each step",
  () => cutOffFor("bus"),
  TIMEOUT_MS,
);

test(
  "[a region | orders under way in both | cut off from the state store for a minute] the other continues alone; all end, with one effect for each step",
  () => cutOffFor("store"),
  TIMEOUT_MS,
);
