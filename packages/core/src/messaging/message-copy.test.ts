// What a copy of a message keeps, within the limits of Service Bus and of its time.
import type { ServiceBusMessage } from "@azure/service-bus";
import { expect, test } from "vitest";
import { faultProperties, roomForFaults, timeLeft, withAdded } from "./message-copy.ts";
import { MessageExpired } from "./messenger.ts";
import { cutToBytes, PROPERTIES_BYTES, propertiesSize } from "./property-sizes.ts";

const NOW = Date.parse("2026-11-20T12:00:00.000Z");

test("a copy has what is left of its time to live, also where it arrives later", () => {
  const ends = "2026-11-20T12:01:00.000Z";
  expect(timeLeft(undefined, NOW, undefined)).toEqual({});
  expect(timeLeft(ends, NOW, undefined)).toEqual({ timeToLive: 60_000 });
  expect(timeLeft(ends, NOW, "2026-11-20T12:00:20.000Z")).toMatchObject({ timeToLive: 40_000 });
  // It expires in its queue, which dead-letters it.
  const late = { timeToLive: 1, scheduledEnqueueTimeUtc: new Date(NOW + 59_999) };
  expect(timeLeft(ends, NOW, "2026-11-20T13:00:00.000Z")).toEqual(late);
  expect(() => timeLeft(ends, NOW + 60_000, undefined)).toThrow(MessageExpired);
});

test.each([
  ["語語語", 9, "語語語"],
  ["語語語", 8, "語語"],
  ["a😀", 4, "a"],
  ["a😀", 5, "a😀"],
  ["abc", 0, ""],
])("%s is cut to %i bytes: %s", (text, most, cut) => expect(cutToBytes(text, most)).toBe(cut));

test.each([0, 30_000, 60_000, 64_000])("beside %i bytes of the sender's there is room for a fault", (bytes) => {
  const applicationProperties = { one: "ä".repeat(bytes / 4), two: "x".repeat(bytes / 2), small: 7 };
  const message: ServiceBusMessage = { body: "", messageId: "m-1", applicationProperties };
  const faults = Array.from({ length: 50 }, () => "語".repeat(166));
  const copy = withAdded(message, faultProperties(faults, roomForFaults(message)));
  expect(propertiesSize(copy)).toBeLessThanOrEqual(PROPERTIES_BYTES);
  expect(copy.applicationProperties).toMatchObject({ fault1: faults[0], small: 7 });
  if (bytes <= 30_000)
    expect(copy.applicationProperties).toMatchObject({ ...applicationProperties, fault40: faults[0] });
  if (bytes <= 60_000) expect(copy.applicationProperties).toMatchObject(applicationProperties);
});
