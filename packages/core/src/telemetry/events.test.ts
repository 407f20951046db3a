// After what happens an operators' desk that is open reads its lists again.
import { expect, test } from "vitest";
import { logTelemetry, notableEvents } from "./events.ts";

test.each([
  ["a failure", "JobErrored", {}, 1],
  ["what a service does later", "StepAccepted", {}, 1],
  ["what an operator does, such as a pause", "OperatorActed", { action: "pause agent payment" }, 1],
  ["what goes well", "JobProcessed", {}, 0],
  ["a step that is skipped as it was written", "StepSkipped", { cause: "condition" }, 0],
] as const)("%s", (_, name, attributes, counted) => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const before = notableEvents();
  logTelemetry(log).event(name, attributes);
  expect(notableEvents() - before).toBe(counted);
});
