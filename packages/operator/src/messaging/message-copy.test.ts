// A discarded message's copy is JSON, and what is sent again from it has the values that the message had.
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import Long from "long";
import { expect, test } from "vitest";
import { messageCopyOf, receivedOf } from "./message-copy.ts";

const BYTES = Buffer.from("98c3fffe00010203a1b2c3d4e5f60718", "hex");

function copied(message: object, bodyType: "data" | "value" | "sequence" = "data"): ServiceBusReceivedMessage {
  const received = { sequenceNumber: Long.fromNumber(7), deliveryCount: 1, state: "active", body: "b", ...message };
  const copy = messageCopyOf({ ...received, _rawAmqpMessage: { bodyType } } as unknown as ServiceBusReceivedMessage);
  return receivedOf(JSON.parse(JSON.stringify(copy)) as typeof copy);
}

test("each property keeps its value: bytes, dates and what else JSON has no form for", () => {
  const at = new Date("2026-11-26T10:00:00.123Z");
  const applicationProperties = { text: "t", whole: 1, part: 1.5, yes: true, none: null, at, bytes: BYTES };
  expect(copied({ applicationProperties }).applicationProperties).toEqual(applicationProperties);
});

test.each([
  ["data", Buffer.from("{}"), Buffer.from("{}")],
  ["value", BYTES, BYTES],
  ["value", { base64: "AA==", n: 1 }, { base64: "AA==", n: 1 }],
  ["value", "text", "text"],
  ["sequence", [1, "a"], [1, "a"]],
] as const)("a body of the kind %s keeps its value: %j", (kind, body, wanted) => {
  const again = copied({ body }, kind);
  expect([again.body, again._rawAmqpMessage.bodyType]).toEqual([wanted, kind]);
});
