// While the app's roles on the bus may not hold yet, a rejection is waited for.

import { type ServiceBusClient, ServiceBusError, type ServiceBusMessage } from "@azure/service-bus";
import { expect, test } from "vitest";
import { JOB } from "../domain/noun.ts";
import { createBusSenders } from "./bus-senders.ts";
import { createServiceBusMessenger } from "./service-bus-messenger.ts";

const queues = { scheduler: "scheduler", quarantine: "quarantine", agentRequests: "requests", agentReplies: "replies" };
const unreadable = {
  subject: "InvalidSubmission",
  body: 1,
  faults: ["no job"],
  messageId: "m",
  correlationId: "c",
} as const;

/** A bus whose roles hold after so many rejections. */
function busAfter(rejections: number): { client: ServiceBusClient; sent: ServiceBusMessage[] } {
  const sent: ServiceBusMessage[] = [];
  let left = rejections;
  const sender = {
    async sendMessages(message: ServiceBusMessage) {
      left -= 1;
      if (left >= 0) throw new ServiceBusError("no claim Send", "UnauthorizedAccess");
      sent.push(message);
    },
    close: async () => undefined,
  };
  return { client: { createSender: () => sender } as unknown as ServiceBusClient, sent };
}

test("while roles are new a rejection is tried again; later it is a fault at once", async () => {
  const fresh = busAfter(3);
  const patient = createServiceBusMessenger(
    createBusSenders(() => fresh.client),
    queues,
    { noun: JOB, rolesAreNew: () => true, rolePauseMs: 1 },
  );
  await patient.quarantine(unreadable);
  expect(fresh.sent).toMatchObject([{ subject: "InvalidSubmission" }]);

  const old = busAfter(1);
  const messenger = createServiceBusMessenger(
    createBusSenders(() => old.client),
    queues,
    { noun: JOB, rolesAreNew: () => false, rolePauseMs: 1 },
  );
  await expect(messenger.quarantine(unreadable)).rejects.toMatchObject({
    name: "BusUnavailable",
    cause: { code: "UnauthorizedAccess" },
  });
  expect(old.sent).toEqual([]);
});
