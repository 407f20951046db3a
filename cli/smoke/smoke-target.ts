// What the smoke test works on: the bus and the store of the local stack or of Azure, and where telemetry of each goes.
import { QUEUES } from "@scheduler-agent-supervisor/core/app";
import Long from "long";
import { openBus } from "../common/azure.ts";
import { openRecords } from "../common/records.ts";
import { openOrderClient } from "../common/shop.ts";
import type { Settings } from "../every-app/stack-file.ts";
import type { SmokeTarget } from "./smoke-test.ts";

/** As many messages of the queue are looked through, as many at once as Service Bus answers. */
const MOST = 500;
const PAGE = 250;

/** What neither the bus nor the store says. */
type Known = Pick<SmokeTarget, "telemetry" | "telemetryWithinMs" | "taskHub" | "pauseMs">;

export async function withSmokeTarget<T>(
  settings: Settings,
  known: Known,
  work: (target: SmokeTarget) => Promise<T>,
): Promise<T> {
  const client = openOrderClient(settings);
  const records = openRecords(settings);
  const bus = openBus(settings, { retryOptions: { maxRetries: 2, retryDelayInMs: 300 } });
  try {
    return await work({
      ...known,
      submit: (order, timeoutMs) => client.submit(order, { timeoutMs }),
      record: async (orderId) => (await records.of([orderId]))[0],
      quarantined: async (id) => (await records.quarantined()).find(({ messageId }) => messageId === id)?.faults,
      async waits(id) {
        const receiver = bus.createReceiver(QUEUES.jobs);
        // From the first one: without a number a client goes on where its last look ended.
        let from = Long.ZERO;
        for (let looked = 0; looked < MOST; looked += PAGE) {
          const messages = await receiver.peekMessages(PAGE, { fromSequenceNumber: from });
          if (messages.some(({ messageId }) => messageId === id)) return true;
          const last = messages.at(-1)?.sequenceNumber;
          if (!last) return false;
          from = last.add(1);
        }
        return false;
      },
    });
  } finally {
    await Promise.allSettled([client.close(), records.close(), bus.close()]);
  }
}
