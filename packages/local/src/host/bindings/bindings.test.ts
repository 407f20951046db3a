// What this host does not have is refused by its name, before anything runs.
import { expect, test } from "vitest";
import type { Binding, RegisteredFunction } from "../contract.ts";
import { unknownBindings } from "./bindings.ts";

const timer: Binding = { type: "timerTrigger", direction: "in" };
const withTrigger = (type: string): RegisteredFunction => {
  const trigger: Binding = { type, direction: "in" };
  return { name: "f", triggerName: "t", trigger, bindings: { t: trigger } };
};
const withBinding = (type: string, direction: "in" | "out"): RegisteredFunction => ({
  name: "f",
  triggerName: "t",
  trigger: timer,
  bindings: { t: timer, b: { type, direction } },
});

test.each(["queueTrigger", "blobTrigger", "eventGridTrigger", "warmupTrigger", "cosmosDBTrigger", "entityTrigger"])(
  "the trigger %s",
  (type) => {
    expect(unknownBindings(withTrigger(type))).toEqual([
      expect.stringContaining(`function "f": this host has no trigger "${type}"; it knows httpTrigger, `),
    ]);
  },
);

test.each([
  ["input", "in", "blob"],
  ["input", "in", "table"],
  ["input", "in", "cosmosDB"],
  ["output", "out", "blob"],
  ["output", "out", "table"],
  ["output", "out", "queue"],
  ["output", "out", "twilioSms"],
] as const)("the %s (%s) %s", (kind, direction, type) => {
  expect(unknownBindings(withBinding(type, direction))).toEqual([
    expect.stringContaining(`function "f": this host has no ${kind} "${type}"; it knows `),
  ]);
});

test("what it has is taken, whatever the case", () => {
  expect(unknownBindings(withTrigger("HTTPTRIGGER"))).toEqual([]);
  expect(unknownBindings(withBinding("ServiceBus", "out"))).toEqual([]);
});
