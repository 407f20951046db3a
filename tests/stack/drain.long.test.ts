// P16: what is stopped in order (SIGTERM) loses no time for what it was about: nothing needs a second attempt.

import { isInHand, runOf } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { FAULT_HEADERS } from "@scheduler-agent-supervisor/local/remotes";
import { expect, test } from "vitest";
import { adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CHAIN, GRAPH } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const ORDERS = 50;
/** Longer than a host waits for what runs. */
const SLOW_MS = 15_000;
/** Longer than a restart takes; shorter than the lock of a message, which is a minute. */
const COMPLETE_WITHIN = "PT45S";
const ALL_END_WITHIN_MS = 60_000;
const START_WITHIN_MS = 240_000;

const patient: Workflow = {
  ...GRAPH,
  steps: GRAPH.steps.map((step) => ({ ...step, completeWithin: COMPLETE_WITHIN })),
};

async function stopInTheMiddle(app: TestStack, stop: () => Promise<void>): Promise<void> {
  await app.switchOn("fraud", { kind: "slow", delayMs: SLOW_MS });
  await app.switchOn("payment", { kind: "slow", delayMs: 300 });
  const orderIds = Array.from({ length: ORDERS }, (_, index) => `drained-${index}`);
  await Promise.all(orderIds.map((orderId) => app.shop.send(madeOrder(orderId))));
  const records = () => app.records.of(orderIds);
  // Of those that wait for the agent some are at work, and the others' messages wait in the host or in the queue.
  const inHand = async (step: string) =>
    (await records()).filter(({ steps }) => isInHand(runOf(steps[step], "forward"))).length;
  await expect.poll(() => inHand("checkFraud"), { interval: 20 }).toBe(ORDERS);
  for (const service of ["fraud", "payment"]) {
    await fetch(`${app.stack.addresses.remotes[service]}/$faults`, { method: "DELETE", headers: FAULT_HEADERS });
  }
  await stop();
  const processed = async () => (await records()).filter(({ processState }) => processState === "Processed").length;
  await expect.poll(processed, { timeout: ALL_END_WITHIN_MS }).toBe(ORDERS);
  expect((await records()).filter(({ attempt }) => attempt > 1).map(({ jobId: orderId }) => orderId)).toEqual([]);
}

test(
  "P16 SIGTERM to the host in the middle of 50 orders: activities end, messages go back to their queue, and no order needs a second attempt",
  async () => {
    using adapted = adaptApp([CHAIN, patient]);
    await using app = await startTestStack({ appDir: adapted.dir, topology: "single" });
    await stopInTheMiddle(app, async () => {
      await app.stack.kill("host", "SIGTERM");
      await app.stack.restart("host");
    });
  },
  START_WITHIN_MS,
);

test(
  "P16 SIGTERM to single processes of the flex topology, as at a scale-in: the next ones go on, and no order needs a second attempt",
  async () => {
    using adapted = adaptApp([CHAIN, patient]);
    await using app = await startTestStack({ appDir: adapted.dir, topology: "flex" });
    await stopInTheMiddle(app, async () => {
      const victims = ["host/fraudQueueAgent", "host/durable"] as const;
      await Promise.all(victims.map((name) => app.stack.kill(name, "SIGTERM")));
    });
  },
  START_WITHIN_MS,
);
