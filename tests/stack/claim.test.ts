// P4: two hosts, as in two regions, each notified of the same orders at once and more than once.

import { createCosmosJobStore } from "@scheduler-agent-supervisor/core/create-app";
import { attemptId, newStateRecord, type StateRecord, startAttemptOf } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GRAPH, sampleOrder } from "../support/orders.ts";
import { sampleContainer } from "../support/sample-container.ts";
import { containerOf } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const ORDERS = 20;
const START_ATTEMPTS = 8;
const TIMEOUT_MS = 60_000;

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack({ hosts: 2 });
});
afterAll(() => app?.[Symbol.asyncDispose]());

/** As a submission leaves it that dies before it starts the attempt. */
async function pending(orderId: string): Promise<StateRecord> {
  const record = newStateRecord(
    {
      ...{ jobId: orderId, keys: {}, contentDigest: "" },
      priority: "normal",
      replyTo: null,
      replyToSessionId: null,
      correlationId: orderId,
      traceparent: null,
    },
    GRAPH,
    new Date().toISOString(),
    new Date(Date.now() + TIMEOUT_MS).toISOString(),
  );
  await createCosmosJobStore(sampleContainer(containerOf(app.settings))).create(sampleOrder(orderId), record);
  return record;
}

/** The hosts whose engine has the attempt. */
async function startedIn(orderId: string): Promise<number[]> {
  const found = await Promise.all(
    app.stack.addresses.hosts.map(({ url }) =>
      fetch(`${url}/runtime/webhooks/durabletask/instances/${attemptId(orderId, 1)}?code=local`),
    ),
  );
  return found.flatMap(({ ok }, host) => (ok ? [host] : []));
}

test(
  "P4 of two hosts that are notified of an order at once, one takes it and does each step; the other starts nothing",
  async () => {
    const records = await Promise.all(Array.from({ length: ORDERS }, (_, index) => pending(`claimed-${index}`)));
    const sender = app.bus.createSender("scheduler");
    const startAttempts = records.flatMap((record) =>
      Array.from({ length: START_ATTEMPTS }, () => ({ body: startAttemptOf(record) })),
    );
    await sender.sendMessages(startAttempts);
    await sender.close();

    const hosts = new Set<number>();
    for (const { jobId: orderId } of records) {
      const record = await app.eventually(orderId, ({ processState }) => processState === "Processed", TIMEOUT_MS);
      expect(record).toMatchObject({ attempt: 1, failureCount: 0 });
      expect(record.history.filter(({ what }) => what.startsWith("claimed"))).toHaveLength(1);
      for (const service of ["inventory", "fraud", "shipping"]) {
        expect(await app.effects(service, orderId)).toMatchObject([{ calls: 1 }]);
      }
      expect(await app.effects("payment", orderId)).toHaveLength(2);
      const started = await startedIn(orderId);
      expect(started).toHaveLength(1);
      for (const host of started) hosts.add(host);
    }
    // Both were notified, and both took some.
    expect(hosts.size).toBe(2);
  },
  TIMEOUT_MS,
);
