// The whole app on the engine that behaves like Durable on Azure Storage: the samples end as they have to, and a burst shows its queue.

import { afterAll, beforeAll, expect, test } from "vitest";
import { readSamples } from "../../cli/common/samples.ts";
import { ROOT } from "../../cli/settings.ts";
import { endedAsExpected, follow } from "../../cli/start/follow.ts";
import { sendSamples, switchOnFaults } from "../../cli/start/send-samples.ts";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const ORDERS = 60;
/** Less is within what two activities that run side by side may differ by. */
const APART_MS = 500;

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack({ appDir: ROOT, engine: "azure-storage" });
}, 120_000);
afterAll(() => app?.[Symbol.asyncDispose]());

test("the sample orders end as they have to", async () => {
  const samples = readSamples("azure-storage");
  await switchOnFaults(samples, app.stack.addresses.remotes);
  const followed = await sendSamples(samples, app.shop, app.records);
  const board = { show: () => undefined };
  const ended = await follow(followed, app.records, board, 150_000, new AbortController().signal);
  expect(
    ended.filter((one) => !endedAsExpected(one)).map(({ followed: { orderId }, ending }) => [orderId, ending]),
  ).toEqual([]);
}, 180_000);

test("in a burst first steps go before later ones that were scheduled after them: there is one queue, first in, first out", async () => {
  const ids = Array.from({ length: ORDERS }, (_, n) => `burst-${n}`);
  // They are all there when the host begins.
  await app.stack.kill("host", "SIGTERM");
  for (const id of ids) await app.shop.send(madeOrder(id));
  await app.stack.restart("host");
  const runs = new Map<string, Run[]>();
  for (const id of ids) {
    await app.eventually(id, ({ processState }) => processState === "Processed", 150_000);
    runs.set(id, await activitiesOf(`${id}-1`));
  }
  const of = (name: string) => [...runs.values()].flatMap((all) => all.filter((run) => run.name === name).slice(0, 1));
  const [firstSteps, laterSteps] = [of("inventoryAgent"), of("shippingAgent")];
  expect(firstSteps).toHaveLength(ORDERS);
  const pairs = laterSteps.flatMap((later) =>
    firstSteps.filter((first) => first.scheduledAt < later.scheduledAt - APART_MS).map((first) => ({ first, later })),
  );
  const inOrder = pairs.filter(({ first, later }) => first.endedAt < later.endedAt);
  const waits = firstSteps.map(({ scheduledAt, endedAt }) => endedAt - scheduledAt).sort((a, b) => a - b);
  console.log(`a first step waited ${waits[0]} to ${waits.at(-1)} ms`);
  expect(pairs.length).toBeGreaterThan(ORDERS);
  expect(inOrder.length / pairs.length).toBeGreaterThan(0.98);
}, 240_000);

interface Run {
  readonly name: string;
  readonly scheduledAt: number;
  readonly endedAt: number;
}

interface ShownEvent {
  readonly EventType: string;
  readonly FunctionName?: string;
  readonly ScheduledTime?: string;
  readonly Timestamp: string;
}

/** The activities that an attempt has seen the end of, by its history. */
async function activitiesOf(instanceId: string): Promise<Run[]> {
  const { host } = app.stack.addresses;
  const path = `runtime/webhooks/durabletask/instances/${instanceId}?code=local&showHistory=true`;
  const response = await fetch(`${host?.url}/${path}`);
  const { historyEvents = [] } = (await response.json()) as { historyEvents?: readonly ShownEvent[] };
  const completed = historyEvents.filter(({ EventType }) => EventType === "TaskCompleted");
  return completed.map(({ FunctionName = "", ScheduledTime = "", Timestamp }) => ({
    name: FunctionName,
    scheduledAt: Date.parse(ScheduledTime),
    endedAt: Date.parse(Timestamp),
  }));
}
