// Messages of one cause have one fingerprint, those of two causes two.
import { expect, test } from "vitest";
import { fingerprintOf } from "./fingerprint.ts";

test.each([
  ["card 4711 has expired", "card 9 has expired"],
  ["no answer from http://127.0.0.1:7080/x", "no answer from http://127.0.0.2:80/x"],
  ["job trip-0a1 is unknown", "job trip-7f9 is unknown"],
  ["id 3f2504e0-4f89-41d3-9a0c-0305e82c3301 twice", "id 9b2d04e0-4f89-41d3-9a0c-0305e82c3301 twice"],
  ["due at 2026-11-22T05:49:23.123Z", "due at 2025-01-02T05:00:00Z"],
  ["trace deadbeef01 lost", "trace 0123456789abcdef lost"],
])("%s is as %s", (one, other) => {
  expect(fingerprintOf(one)).toBe(fingerprintOf(other));
});

test("words keep causes apart", () => {
  expect(fingerprintOf("card 4711 has expired")).toBe("card # has expired");
  expect(fingerprintOf("card 4711 has expired")).not.toBe(fingerprintOf("card 4711 is unknown"));
});

test("a message that says nothing has none, and a long one is cut", () => {
  expect(fingerprintOf("  ")).toBeNull();
  expect(fingerprintOf("x ".repeat(500))?.length).toBeLessThanOrEqual(160);
});
