// What is sent to which queue, with which properties; and while the app's roles on the bus may not hold yet, a rejection is waited for.

import { type ServiceBusClient, ServiceBusError, type ServiceBusMessage } from "@azure/service-bus";
import { expect, test } from "vitest";
import type { AgentReplyMessage, AgentRequestMessage } from "./agent-messages.ts";
import { createBusSenders } from "./bus-senders.ts";
import { createServiceBusMessenger } from "./service-bus-messenger.ts";

const queues = { agentReplies: "replies" };
const unreadable = {
  subject: "InvalidSubmission",
  body: 1,
  faults: ["no job"],
  messageId: "m",
  correlationId: "c",
  shown: { faults: ["no job"], jobId: null, messageId: "m", correlationId: "c" },
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
    { rolesAreNew: () => true, rolePauseMs: 1 },
  );
  await patient.quarantine(unreadable);
  expect(fresh.sent).toMatchObject([{ subject: "InvalidSubmission" }]);

  const old = busAfter(1);
  const messenger = createServiceBusMessenger(
    createBusSenders(() => old.client),
    queues,
    { rolesAreNew: () => false, rolePauseMs: 1 },
  );
  await expect(messenger.quarantine(unreadable)).rejects.toMatchObject({
    name: "BusUnavailable",
    cause: { code: "UnauthorizedAccess" },
  });
  expect(old.sent).toEqual([]);
});

const reply = { replyTo: "replies-shop", replyToSessionId: "s-1", correlationId: "c-1", traceparent: null };
const status = {
  jobId: "job-1",
  attempt: 2,
  status: "StepCompleted",
  at: "2026-01-01T12:00:00.000Z",
  step: "pay",
} as const;

function messengerOn(client: ServiceBusClient, names = queues) {
  return createServiceBusMessenger(
    createBusSenders(() => client),
    names,
  );
}

test("P15 a status goes to its requester's session, under its correlation id and an id of its own attempt", async () => {
  const { client, sent } = busAfter(0);
  expect(await messengerOn(client).publish(reply, [status])).toBe("sent");
  const messageId = "job-1:2:StepCompleted:pay";
  expect(sent).toMatchObject([{ messageId, correlationId: "c-1", sessionId: "s-1", subject: "StepCompleted" }]);
});

test("P15 a message for a client has the id under the contract's name too, as documents have", async () => {
  const { client, sent } = busAfter(0);
  const senders = createBusSenders(() => client);
  const messenger = createServiceBusMessenger(senders, queues, { idName: "videoId" });
  await messenger.publish(reply, [status]);
  const rejection = {
    id: "r-1",
    jobId: "job-1",
    submissionId: null,
    status: "Rejected",
    at: status.at,
    faults: ["no"],
  } as const;
  await messenger.reject(reply, rejection);
  await messenger.reject(reply, { ...rejection, jobId: null });
  expect(sent.map(({ body }) => body)).toMatchObject([
    { ...status, videoId: "job-1" },
    { jobId: "job-1", videoId: "job-1" },
    expect.not.objectContaining({ videoId: expect.anything() }),
  ]);
});

test("P15 a reply queue that is not there is the requester's to fix, and stops no job", async () => {
  const sendMessages = async () => Promise.reject(new ServiceBusError("no such queue", "MessagingEntityNotFound"));
  const client = { createSender: () => ({ sendMessages, close: async () => undefined }) };
  const messenger = messengerOn(client as unknown as ServiceBusClient);
  expect(await messenger.publish(reply, [status])).toBe("no-such-queue");
});

test("P7 a request to an agent expires with its start-by, and names the queue of the replies", async () => {
  const { client, sent } = busAfter(0);
  const messenger = messengerOn(client);
  const ticket = { jobId: "job-1", attempt: 1, step: "check", direction: "forward", lockedBy: "job-1-1@hub" } as const;
  const request = { ticket, operation: "check" } as unknown as AgentRequestMessage;
  await messenger.ask("fraud", request, 30_000);
  expect(sent).toMatchObject([{ timeToLive: 30_000, replyTo: "replies" }]);
});

test("a message between the app's own functions names its job beside its body, and so does one in the quarantine", async () => {
  const { client, sent } = busAfter(0);
  const messenger = messengerOn(client);
  const ticket = { jobId: "job-1", attempt: 1, step: "check", direction: "forward", lockedBy: "job-1-1@hub" } as const;
  await messenger.startAttempt({ jobId: "job-1", attempt: 1, direction: "forward", traceparent: null });
  await messenger.ask("fraud", { ticket, operation: "check" } as unknown as AgentRequestMessage, 30_000);
  await messenger.answer("replies", { ticket, kind: "done" } as unknown as AgentReplyMessage);
  await messenger.quarantine({ ...unreadable, shown: { ...unreadable.shown, jobId: "job-1" } });
  const named = sent.map(({ applicationProperties }) => applicationProperties?.["aboutJobId"]);
  expect(named).toEqual(["job-1", "job-1", "job-1", "job-1"]);
});

test("the quarantine notes for its lists what may not be shown of a message", async () => {
  const { client, sent } = busAfter(0);
  const shown = { faults: ["no (hidden)"], jobId: null, messageId: "(hidden)", correlationId: "c" };
  await messengerOn(client).quarantine({ ...unreadable, shown });
  await messengerOn(client).quarantine(unreadable);
  expect(sent[0]?.applicationProperties).toMatchObject({ fault1: "no job", shownFault: "no (hidden)", hidesIds: true });
  expect(Object.keys(sent[1]?.applicationProperties ?? {})).toEqual(["faultCount", "fault1"]);
});

test("P27 a message that goes back to its queue says when it first came, and is no duplicate of itself", async () => {
  const { client, sent } = busAfter(0);
  const messenger = messengerOn(client);
  const enqueuedAt = "2026-01-01T12:00:00.000Z";
  const none = { subject: undefined, replyTo: undefined, replyToSessionId: undefined, properties: {} };
  const received = { queue: "jobs", body: { a: 1 }, messageId: "m-1", correlationId: undefined, enqueuedAt, ...none };
  await messenger.postpone(received, { cause: "StoreUnavailable" });
  expect(sent[0]).toMatchObject({ correlationId: "m-1", applicationProperties: { firstEnqueuedAt: enqueuedAt } });
  expect(sent[0]?.messageId).toMatch(/^m-1~/);
});
