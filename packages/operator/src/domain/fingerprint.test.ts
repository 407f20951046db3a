// Messages of one cause have one fingerprint, those of two causes two.
import { expect, test } from "vitest";
import { fingerprintOf, hasWords, technicalCauseOf } from "./fingerprint.ts";

test.each([
  ["card 4711 has expired", "card 9 has expired"],
  ["no answer from http://127.0.0.1:7080/x", "no answer from http://127.0.0.2:80/x"],
  ["job trip-0a1 is unknown", "job trip-7f9 is unknown"],
  ["id 3f2504e0-4f89-41d3-9a0c-0305e82c3301 twice", "id 9b2d04e0-4f89-41d3-9a0c-0305e82c3301 twice"],
  ["due at 2026-11-22T05:49:23.123Z", "due at 2025-01-02T05:00:00Z"],
  ["trace deadbeef01 lost", "trace 0123456789abcdef lost"],
  ["the key has expired.", "the key has expired"],
])("%s is as %s", (one, other) => {
  expect(fingerprintOf(one)).toBe(fingerprintOf(other));
});

test("words keep causes apart", () => {
  expect(fingerprintOf("card 4711 has expired")).toBe("card # has expired");
  expect(fingerprintOf("card 4711 has expired")).not.toBe(fingerprintOf("card 4711 is unknown"));
});

test("what names the job is no word of its fault, whatever it looks like", () => {
  const of = (id: string) => fingerprintOf(`${id} is unknown`, [id, null]);
  expect(of("trip-to-rome")).toBe(of("video (a.b)"));
  expect(of("trip-to-rome")).toBe("# is unknown");
  expect(fingerprintOf("videos twice", ["video"])).toBe("videos twice");
});

test("a status is no number of a job", () => {
  expect(fingerprintOf("HTTP 401 for card 17")).toBe("HTTP 401 for card #");
});

test.each([
  ["HTTP 401: key expired", "gets no calls: HTTP 401"],
  ["HTTP 503: down until 14:00", "HTTP 503: overloaded"],
  ["connect ECONNREFUSED 127.0.0.1:80", "ECONNREFUSED"],
  ["connect ECONNREFUSED ::1:80; connect ECONNREFUSED 127.0.0.1:80", "gets no calls: ECONNREFUSED"],
  ["UND_ERR_SOCKET: other side closed", "UND_ERR_SOCKET"],
  ["HTTP 401: key expired", "no answer before complete-by; before that HTTP 401: key expired"],
  ["no answer within 1000 ms", "gets no calls: no answer within 30000 ms"],
])("%s is the same answer of an endpoint as %s", (one, other) => {
  expect(technicalCauseOf(one)).toBe(technicalCauseOf(other));
});

test("two answers are two causes, and only what has words says more than the answer", () => {
  expect(technicalCauseOf("HTTP 401: key expired")).not.toBe(technicalCauseOf("HTTP 403: key expired"));
  expect([hasWords("HTTP 401: key expired"), hasWords("HTTP 401"), hasWords("gets no calls: HTTP 401")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("a message that says nothing has none, and a long one is cut", () => {
  expect(fingerprintOf("  ")).toBeNull();
  expect(fingerprintOf("x ".repeat(500))?.length).toBeLessThanOrEqual(160);
});
