// P4: two hosts, as in two regions, each told of the same orders at once and more than once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { wakeOf } from "../../shared/domain/recovery.ts";
import { attemptId, newStateRecord, type StateRecord } from "../../shared/domain/state-record.ts";
import { createCosmosOrderStore } from "../../shared/store/cosmos-order-store.ts";
import { GRAPH, sampleOrder } from "../support/orders.ts";
import { containerOf, startTestStack, type TestStack } from "../support/test-stack.ts";

const ORDERS = 20;
const WAKES = 8;
const TIMEOUT_MS = 60_000;

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack({ hosts: 2 });
});
afterAll(() => app?.[Symbol.asyncDispose]());

/** As a submission leaves it that dies before it starts the attempt. */
async function pending(orderId: string): Promise<StateRecord> {
  const record = newStateRecord(
    { orderId, priority: "normal", replyTo: null, replyToSessionId: null, correlationId: orderId, traceparent: null },
    GRAPH,
    new Date().toISOString(),
    new Date(Date.now() + TIMEOUT_MS).toISOString(),
  );
  await createCosmosOrderStore(containerOf(app.settings)).create(sampleOrder(orderId), record);
  return record;
}

/** Whether both hosts began the attempt. */
async function isContended(orderId: string): Promise<boolean> {
  const found = await Promise.all(
    app.stack.addresses.hosts.map(({ url }) =>
      fetch(`${url}/runtime/webhooks/durabletask/instances/${attemptId(orderId, 1)}`),
    ),
  );
  return found.every(({ ok }) => ok);
}

test(
  "P4 of two hosts that are told of an order at once, one takes it and does each step; the other's attempt is refused",
  async () => {
    const records = await Promise.all(Array.from({ length: ORDERS }, (_, index) => pending(`claimed-${index}`)));
    const sender = app.bus.createSender(app.settings["SchedulerQueue"] ?? "");
    const wakes = records.flatMap((record) => Array.from({ length: WAKES }, () => ({ body: wakeOf(record) })));
    await sender.sendMessages(wakes);
    await sender.close();

    let contended = 0;
    for (const { orderId } of records) {
      const record = await app.eventually(orderId, ({ processState }) => processState === "Processed", TIMEOUT_MS);
      expect(record).toMatchObject({ attempt: 1, failureCount: 0 });
      expect(record.history.filter(({ what }) => what.startsWith("claimed"))).toHaveLength(1);
      for (const service of ["inventory", "fraud", "shipping"]) {
        expect(await app.effects(service, orderId)).toMatchObject([{ calls: 1 }]);
      }
      expect(await app.effects("payment", orderId)).toHaveLength(2);
      if (await isContended(orderId)) contended += 1;
    }
    expect(contended).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
