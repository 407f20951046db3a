// Whose bindings an invocation gets, by the name that its caller wrote.
import { afterAll, expect, test } from "vitest";
import type { Binding, RegisteredFunction } from "../contract.ts";
import { AppBindings } from "./app-bindings.ts";

const trigger: Binding = { type: "activityTrigger", direction: "in" };
// Nothing is sent: each says of the expression in its path that nothing fills it in, and so which function's it is.
const withOutput = (name: string): RegisteredFunction => ({
  name,
  triggerName: "input",
  trigger,
  bindings: { input: trigger, $return: { type: "blob", direction: "out", path: `x/{of${name}}` } },
});

const bindings = new AppBindings(
  {
    maxPollingIntervalMs: 1,
    visibilityTimeoutMs: 0,
    batchSize: 1,
    maxDequeueCount: 1,
    newBatchThreshold: 1,
    messageEncoding: "none",
  },
  () => undefined,
);
bindings.functions = ["Greet", "Part"].map(withOutput);
afterAll(() => bindings.close());

const write = (name: string) =>
  bindings.write(name, { returnValue: { string: "text" }, outputs: {} }, { invocationId: "1", inputs: {} });

test.each(["Greet", "GREET", "greet"])("outputs of Greet, called as %s", async (name) => {
  await expect(write(name)).rejects.toThrow("{ofGreet}");
});

test("another name has none of them", async () => {
  await expect(write("Greeting")).resolves.toBeUndefined();
});
