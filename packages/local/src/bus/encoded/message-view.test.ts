// The system properties that a rule can name are those that Microsoft documents for messages; any other is a fault of the filter.
import { message as messages } from "rhea";
import { expect, test } from "vitest";
import { MessageView } from "./message-view.ts";

const AT = Date.UTC(2026, 0, 1);
const facts = { sequence: 7, enqueuedAt: AT, expiresAt: AT + 93_784_005, deadLetterSource: undefined };
const view = new MessageView(messages.encode({ subject: "s", to: "t", message_id: "m", body: "b" }), facts);

test.each<[string, unknown]>([
  ["MessageId", "m"],
  ["Label", "s"],
  ["Subject", "s"],
  ["To", "t"],
  ["ReplyTo", null],
  ["CorrelationId", null],
  ["ContentType", null],
  ["SessionId", null],
  ["ReplyToSessionId", null],
  ["PartitionKey", null],
  ["ViaPartitionKey", null],
  ["ScheduledEnqueueTimeUtc", null],
  ["SequenceNumber", 7n],
  ["EnqueuedSequenceNumber", 7n],
  ["EnqueuedTimeUtc", new Date(AT)],
  ["ExpiresAtUtc", new Date(facts.expiresAt)],
  ["TimeToLive", "1.02:03:04.0050000"],
  ["DeadLetterSource", null],
  ["DeliveryCount", 0n],
  ["State", "Active"],
  ["ForcePersistence", false],
  ["LockedUntilUtc", null],
  ["LockToken", null],
])("sys.%s", (name, value) => {
  expect(view.system(name)).toEqual(value);
  expect(view.system(name.toUpperCase())).toEqual(value);
});

test("a message that does not expire lives for .NET's longest time", () => {
  const everlasting = new MessageView(messages.encode({ body: "b" }), {
    ...facts,
    expiresAt: Number.POSITIVE_INFINITY,
  });
  expect(everlasting.system("TimeToLive")).toBe("10675199.02:48:05.4775807");
});

test.each(["Nothing", "Body", "Properties", "MessageID2"])("there is no sys.%s", (name) => {
  expect(() => view.system(name)).toThrow(`There is no system property ${name}`);
});
