import { expect, test } from "vitest";
import { parseDuration, parseSettings } from "./queue-settings.ts";

test("ISO 8601 durations are read in milliseconds, and the largest means never", () => {
  expect(parseDuration("PT1M")).toBe(60_000);
  expect(parseDuration("P1DT2H3M4.5S")).toBe(93_784_500);
  expect(parseDuration("P10675199DT2H48M5.4775807S")).toBe(Number.POSITIVE_INFINITY);
  expect(["", "P", "PT", "1M", "P1M", "PT1X"].map(parseDuration)).toEqual(Array(6).fill(undefined));
});

test("absent properties have the service's defaults, and every fault is named", () => {
  expect(parseSettings("q", {})).toEqual({
    lockDurationMs: 60_000,
    mostBytes: 2 ** 30,
    maxDeliveryCount: 10,
    defaultTtlMs: Number.POSITIVE_INFINITY,
    deadLetterOnExpiration: false,
    duplicateWindowMs: 0,
    requiresSession: false,
    isPartitioned: false,
    canSend: true,
    canReceive: true,
    forwardTo: undefined,
    forwardDeadLettersTo: undefined,
  });
  expect(parseSettings("q", { requiresDuplicateDetection: true })).toMatchObject({ duplicateWindowMs: 600_000 });
  const faults = parseSettings("q", { lockDuration: "x", maxDeliveryCount: 0 });
  expect(faults).toMatch(/lockDuration/);
  expect(faults).toMatch(/maxDeliveryCount/);
});

test("a status says what may be done", () => {
  expect(parseSettings("q", { status: "SendDisabled" })).toMatchObject({ canSend: false, canReceive: true });
  expect(parseSettings("q", { status: "ReceiveDisabled" })).toMatchObject({ canSend: true, canReceive: false });
  expect(parseSettings("q", { status: "Disabled" })).toMatchObject({ canSend: false, canReceive: false });
  expect(parseSettings("q", { status: "Deleting" })).toMatch(/can be Active, Disabled/);
  expect(parseSettings("q", { status: "Active", maxSizeInMegabytes: 1024 })).toMatchObject({ maxDeliveryCount: 10 });
});

test("forwarding names an entity, also as a URL, and not where sessions are required", () => {
  const settings = { forwardTo: "sb://localhost:5672/next", forwardDeadLetteredMessagesTo: "graves" };
  expect(parseSettings("q", settings)).toMatchObject({ forwardTo: "next", forwardDeadLettersTo: "graves" });
  expect(parseSettings("q", { forwardTo: "next", requiresSession: true })).toMatch(
    /sessions are required.*\n.*forwardTo/,
  );
});

test("a lock longer than the service's five minutes is refused", () => {
  expect(parseSettings("q", { lockDuration: "PT5M" })).toMatchObject({ lockDurationMs: 300_000 });
  expect(parseSettings("q", { lockDuration: "PT5M1S" })).toMatch(/has to be PT5M at most\n.*lockDuration/);
});

test("the largest size of messages is one that Service Bus takes", () => {
  for (const size of [256, 1024, 102_400])
    expect(parseSettings("q", { maxMessageSizeInKilobytes: size })).toMatchObject({ canSend: true });
  for (const size of [1023, 102_401])
    expect(parseSettings("q", { maxMessageSizeInKilobytes: size })).toMatch(/must be between 1024 and 102400/);
});
