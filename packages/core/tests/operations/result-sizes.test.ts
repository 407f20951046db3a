// What a step's result may hold is one limit for all ways (P33): an activity's, a reply's over a queue, a report's, an operator's.
import { expect, test } from "vitest";
import { checkResult } from "../../src/agents/declared-results.ts";
import { parseAgentReply } from "../../src/messaging/agent-messages.ts";
import { reportBody } from "../../src/messaging/operator-request.ts";

const ticket = { jobId: "job-1", attempt: 1, step: "check", direction: "forward", lockedBy: "job-1-1@hub" };
const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`member${at}`, at]));

test.each([
  ["a hundred members", many],
  ["a text of 3,000 characters", { note: "n".repeat(3000) }],
  ["a name of 200 characters", { ["n".repeat(200)]: 1 }],
  ["five levels", { one: { two: { three: [{ five: true }] } } }],
])("P33 %s fit, however they come", (_, result) => {
  expect(checkResult(undefined, result)).toEqual({ kind: "fits", result });
  const reply = { ticket, kind: "done", result };
  expect(parseAgentReply({ ...reply, schemaVersion: 1 })).toEqual({ kind: "valid", reply });
  expect(reportBody.parse({ kind: "done", reason: "it is done", result })).toMatchObject({ result });
});

test("P33 one that is too large is read, and then named as what does not fit", () => {
  const result = { one: "n".repeat(3000), two: "n".repeat(3000) };
  expect(parseAgentReply({ ticket, kind: "done", result, schemaVersion: 1 })).toMatchObject({ kind: "valid" });
  expect(checkResult(undefined, result)).toMatchObject({ kind: "misfit", faults: [expect.stringContaining("4096")] });
});
