// The envelope of a message as the Functions host hands it over: text that reads as JSON arrives as a number, a boolean or null.
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { expect, test } from "vitest";
import type { OriginalMessages } from "../messaging/original-messages.ts";
import { clarified, enqueuedAt, readMessage } from "./received-message.ts";

const BODY = Buffer.from('{"jobId":"job-1"}');
const read = (triggerMetadata: Record<string, unknown>, bound: unknown = BODY) =>
  readMessage(bound, "jobs", { triggerMetadata }, "rejected");

function lying(message: Partial<ServiceBusReceivedMessage> | undefined): OriginalMessages & { looks: number } {
  const originals = {
    looks: 0,
    async read() {
      originals.looks += 1;
      return message as ServiceBusReceivedMessage | undefined;
    },
  };
  return originals;
}

test("texts are taken as they are, without a look into the queue", async () => {
  const originals = lying(undefined);
  const message = await clarified(read({ messageId: "m-1", correlationId: "007", sequenceNumber: 7 }), originals);
  expect(message).toMatchObject({ messageId: "m-1", correlationId: "007", replyTo: undefined, faults: [] });
  expect(originals.looks).toBe(0);
});

test.each([
  ["1002", 1002],
  ["1.0", 1],
  ["1e3", 1000],
  ["12345678901234567890", 12345678901234567000],
  ["true", true],
  ["null", null],
  ['{"a":1}', { a: 1 }],
])("the id %s, which arrives as %j, is the original's", async (text, arrived) => {
  const names = ["messageId", "correlationId", "replyTo", "replyToSessionId"];
  const message = read({ ...Object.fromEntries(names.map((name) => [name, arrived])), sequenceNumber: 7 });
  const originals = lying(Object.fromEntries(names.map((name) => [name, text])));
  expect(await clarified(message, originals)).toMatchObject({
    ...Object.fromEntries(names.map((name) => [name, text])),
    faults: [],
  });
  expect(originals.looks).toBe(1);
});

test("without the original an id is made of it where that is exact, and is a fault by name otherwise", async () => {
  const given = { messageId: 1002, correlationId: true, replyTo: null, replyToSessionId: 1e21, to: { a: 1 } };
  const message = await clarified(read({ ...given, sequenceNumber: 7 }), lying(undefined));
  expect(message).toMatchObject({
    messageId: "1002",
    correlationId: "true",
    replyTo: "null",
    replyToSessionId: undefined,
  });
  expect(message.faults).toEqual([
    expect.stringMatching(/^message property replyToSessionId: .*lost digits/),
    expect.stringMatching(/^message property to: /),
  ]);
});

test("members of a body that the host has parsed hide metadata: the original's are taken", async () => {
  const message = read({ messageId: "evil", sequenceNumber: 7 }, { MessageId: "evil" });
  expect((await clarified(message, lying({ messageId: "m-1" }))).messageId).toBe("m-1");
});

test("a copy that was sent back has its sender's id, and no sender takes another's", () => {
  const copy = (messageId: string, firstMessageId: string) =>
    read({ messageId, applicationProperties: { firstMessageId } }).messageId;
  expect(copy("m-1~0123abcd", "m-1")).toBe("m-1");
  expect(copy("m-1~0123abcd", "other")).toBe("m-1~0123abcd");
  expect(copy("m-1", "other")).toBe("m-1");
});

const OWN = "2026-11-20T12:00:00.000Z";
test.each([
  ["an earlier one", "2026-11-19T12:00:00.000Z", "2026-11-19T12:00:00.000Z"],
  ["none", undefined, OWN],
  ["9999", "9999-12-31T23:59:59Z", OWN],
  ["1970", "1970-01-01T00:00:00Z", OWN],
  ["no instant", "yesterday", OWN],
  ["a number", 5, OWN],
])("of a first arrival that its sender could write, %s counts as %s", (_, firstEnqueuedAt, counts) => {
  const metadata = { enqueuedTimeUtc: "2026-11-20T12:00:00", applicationProperties: { firstEnqueuedAt } };
  expect(enqueuedAt(metadata)).toBe(counts);
});
