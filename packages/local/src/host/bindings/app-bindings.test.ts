// Whose bindings an invocation gets, by the name that its caller wrote.
import { afterAll, expect, test } from "vitest";
import type { Binding, RegisteredFunction } from "../contract.ts";
import { AppBindings } from "./app-bindings.ts";

const trigger: Binding = { type: "activityTrigger", direction: "in" };
// Nothing is sent: each says of the expression in its queue's name that nothing fills it in, and so which function's it is.
const withOutput = (name: string): RegisteredFunction => ({
  name,
  triggerName: "input",
  trigger,
  bindings: { input: trigger, $return: { type: "serviceBus", direction: "out", queueName: `{of${name}}` } },
});

const bindings = new AppBindings(() => undefined);
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
