// A batch to a partitioned entity goes to one partition, or is rejected as a whole.
import type { ServiceBusMessage } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { BusUnderTest } from "./bus-under-test.ts";

const under = new BusUnderTest();
const partitioned = { enablePartitioning: true };
beforeAll(() =>
  under.start([
    { name: "split", properties: partitioned },
    { name: "sessions", properties: { ...partitioned, requiresSession: true } },
    { name: "unique", properties: { ...partitioned, requiresDuplicateDetection: true } },
    { name: "whole", properties: { requiresSession: true } },
  ]),
);
afterAll(() => under.destroy());

const send = (queue: string, ...messages: Omit<ServiceBusMessage, "body">[]) =>
  under.client.createSender(queue).sendMessages(messages.map((message) => ({ body: 1, ...message })));

describe(REJECTIONS.severalPartitions.what, () => {
  test.each<[string, ...Omit<ServiceBusMessage, "body">[]]>([
    ["split", { partitionKey: "a" }, { partitionKey: "b" }],
    ["split", { partitionKey: "a" }, {}],
    ["sessions", { sessionId: "a" }, { sessionId: "b" }],
    ["unique", { messageId: "a" }, { messageId: "b" }],
  ])("to %s: %j, %j", async (queue, ...messages) => {
    await expect(send(queue, ...messages)).rejects.toThrow("for several partitions");
  });

  test.each<[string, ...Omit<ServiceBusMessage, "body">[]]>([
    ["split", {}, {}],
    ["split", { partitionKey: "a" }, { partitionKey: "a" }],
    ["sessions", { sessionId: "a" }, { sessionId: "a", partitionKey: "a" }],
    ["unique", { messageId: "c", partitionKey: "a" }, { messageId: "d", partitionKey: "a" }],
    ["whole", { sessionId: "a" }, { sessionId: "b" }],
  ])("taken, to %s: %j, %j", async (queue, ...messages) => {
    await send(queue, ...messages);
  });
});
