// What asks for an attempt: the record says all else.
import { expect, test } from "vitest";
import { parseWake } from "./wake-message.ts";

const wake = { orderId: "order-1", attempt: 2, direction: "undo", traceparent: null };

test("a wake goes through as it was sent", () => {
  expect(parseWake(JSON.parse(JSON.stringify(wake)))).toEqual(wake);
});

test("what an older app put in besides is left out, and what is no wake is refused", () => {
  expect(parseWake({ ...wake, steps: { reserveStock: { state: "NotStarted" } } })).toEqual(wake);
  expect(() => parseWake({ ...wake, attempt: 0 })).toThrow("attempt");
});
