// The contract of an operator's request: every fault is named.

import { parseListRequest } from "@scheduler-agent-supervisor/operator/adapters";
import { beforeEach, describe, expect, test } from "vitest";
import { parseOperatorRequest } from "../../src/messaging/operator-request.ts";
import { NOON_MS, sampleJob } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

const KEYS = ["customer", "returnOf"];

describe("the contract of a request", () => {
  const faultsOf = (parsed: { kind: string; faults?: readonly string[] }) => parsed.faults ?? [];

  test.each([
    ["resubmit", "[]", ["the body must be a JSON object"]],
    ["resubmit", "{", ["the body must be a JSON object"]],
    ["resubmit", "{}", ["reason: is missing"]],
    ["compensate", '{"reason":" ","who":"me"}', ["reason: ", 'the body: has no "who"']],
    ["resubmit", '{"reason":"r","compensatedManually":"yes"}', ["compensatedManually: must be true or false"]],
    ["resubmit", '{"reason":"r","direction":"back"}', ["direction: "]],
    ["extend", '{"by":"ten minutes"}', ["reason: is missing", "by: must be an ISO 8601 duration"]],
    ["extend", '{"reason":"r","by":"P8D"}', ["at most P7D"]],
    ["resubmit", '{"job":{"jobId":"x","lines":[]}}', ["reason: is missing", "job: lines", "job: currency"]],
  ] as const)("%s %s: every fault is named", (action, text, named) => {
    const faults = faultsOf(parseOperatorRequest(action, "job-1", text, world.rules));
    for (const part of named)
      expect(
        faults.some((fault) => fault.includes(part)),
        `${part} in ${faults}`,
      ).toBe(true);
  });

  test("an edit is checked as a submission is, and is of the same job", () => {
    const text = JSON.stringify({ reason: "r", job: sampleJob("job-2") });
    expect(faultsOf(parseOperatorRequest("resubmit", "job-1", text, world.rules))).toEqual([
      expect.stringContaining('must be "job-1"'),
    ]);
  });

  test("a list's query: every fault is named", () => {
    const query = { state: "Lost", step: "x y", limit: "201", continuation: "zzz", page: "2" };
    const faults = faultsOf(parseListRequest(Object.entries(query), KEYS)).map((fault) => fault.split(":")[0]);
    expect(faults.sort()).toEqual(["continuation", "limit", "state", "step", "the query"]);
    const usual = { kind: "valid", request: { limit: 50 } };
    expect(parseListRequest([["code", "a function's key"]], KEYS)).toMatchObject(usual);
  });
});
