// What this app reads of other versions' messages, and what it leaves for a newer instance.
import { expect, test } from "vitest";
import { Outage } from "../domain/outage.ts";
import { parseAgentReply, parseAgentRequest } from "./agent-messages.ts";
import { parseWake } from "./wake-message.ts";

const wake = { orderId: "order-1", attempt: 1, direction: "forward" };
const ticket = { orderId: "order-1", attempt: 1, step: "checkFraud", direction: "forward", lockedBy: "order-1-1@hub" };
const reply = { ticket, kind: "done", result: { id: "fraud-1" } };

test.each([undefined, 1])("messages of schema version %s are read", (schemaVersion) => {
  expect(parseWake({ ...wake, schemaVersion })).toMatchObject(wake);
  expect(parseAgentRequest({ ticket, schemaVersion })).toMatchObject({ ticket });
  expect(parseAgentReply({ ...reply, schemaVersion })).toEqual({ kind: "valid", reply });
});

test.each<[string, (body: unknown) => unknown]>([
  ["a wake", parseWake],
  ["a request to an agent", parseAgentRequest],
  ["an agent's reply", parseAgentReply],
])("%s of a newer app is left for a newer instance, whatever it holds", (_, parse) => {
  const parsed = () => parse({ schemaVersion: 2, as: "nobody knows" });
  expect(parsed).toThrow(Outage);
  expect(parsed).toThrow(/a newer version of the app.*left alone/);
});
