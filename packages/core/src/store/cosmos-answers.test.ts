// What Cosmos DB's answers mean: which request may be made again, which write can never be made, and why a batch was rejected.
import { ErrorResponse } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { BatchRejected, isNotStorable, isTransient, rejectionOf, statusOf } from "./cosmos-answers.ts";

function answered(code: number, substatus?: number): ErrorResponse {
  return Object.assign(new ErrorResponse(`answered ${code}`), { code, substatus });
}

describe("P27 the same request may be made again", () => {
  test.each([408, 410, 429, 449, 500, 503])("after %i, also as the cause of another error", (code) => {
    expect(isTransient(answered(code))).toBe(true);
    expect(isTransient(new Error("wrapped", { cause: answered(code) }))).toBe(true);
    expect(isTransient(new BatchRejected({ statusCode: code }))).toBe(true);
  });

  test.each([400, 401, 403, 404, 409, 412, 413])("not after %i", (code) => {
    expect(isTransient(answered(code))).toBe(false);
  });

  test("after a broken connection, and not after a request that can't be sent", () => {
    expect(isTransient(Object.assign(new Error("reset"), { code: "ECONNRESET" }))).toBe(true);
    expect(isTransient(new TypeError("invalid header"))).toBe(false);
  });
});

describe("P27 a write can never be made", () => {
  test.each([
    [400, undefined, true],
    [413, undefined, true],
    [403, 1014, true],
    [403, undefined, false],
    [403, 5300, false],
    [429, undefined, false],
    [503, undefined, false],
  ])("%i, substatus %s: %s", (code, substatus, isFinal) => {
    expect(isNotStorable(answered(code, substatus))).toBe(isFinal);
  });
});

test("P27 of a rejected batch the operation says why that was rejected, and not those that depend on it", () => {
  const result = [{ statusCode: 424 }, { statusCode: 412, subStatusCode: 0 }, { statusCode: 424 }];
  expect(rejectionOf(result)).toBe(result[1]);
  expect(statusOf(new BatchRejected(result[1] as { statusCode: number }))).toBe(412);
  expect(rejectionOf([{ statusCode: 200 }, { statusCode: 201 }])).toBeUndefined();
});
