// What this app reads of other versions' messages, and what it leaves for a newer instance.

import { expect, test } from "vitest";
import { Outage } from "../domain/outage.ts";
import { parseStartAttempt } from "../scheduler/scheduler-client.ts";
import { parseAgentReply, parseAgentRequest } from "./agent-messages.ts";

const startAttempt = { jobId: "job-1", attempt: 1, direction: "forward" };
const ticket = { jobId: "job-1", attempt: 1, step: "checkFraud", direction: "forward", lockedBy: "job-1-1@hub" };
const reply = { ticket, kind: "done", result: { id: "fraud-1" } };

test.each([undefined, 1])("messages of schema version %s are read", (schemaVersion) => {
  expect(parseStartAttempt({ ...startAttempt, schemaVersion })).toMatchObject(startAttempt);
  expect(parseAgentRequest({ ticket, schemaVersion })).toMatchObject({ ticket });
  expect(parseAgentReply({ ...reply, schemaVersion })).toEqual({ kind: "valid", reply });
});

test.each<[string, (body: unknown) => unknown]>([
  ["a start message", (body: unknown) => parseStartAttempt(body)],
  ["a request to an agent", (body: unknown) => parseAgentRequest(body)],
  ["an agent's reply", (body: unknown) => parseAgentReply(body)],
])("%s of a newer app is left for a newer instance, whatever it holds", (_, parse) => {
  const parsed = () => parse({ schemaVersion: 2, as: "nobody knows" });
  expect(parsed).toThrow(Outage);
  expect(parsed).toThrow(/a newer version of the app.*left alone/);
});

test.each(["tomorrow", "", 17, null, "+275760-09-13T00:00:00.001Z"])(
  "a request whose complete-by is %j is rejected",
  (completeBy) => {
    const body = { ticket: { jobId: "job-1" }, completeBy, schemaVersion: 1 };
    expect(() => parseAgentRequest(body)).toThrow("completeBy");
  },
);
