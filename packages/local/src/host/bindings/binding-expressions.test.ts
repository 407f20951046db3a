// What an output binding takes from its invocation, by the kind of trigger.
import { expect, test } from "vitest";
import type { Invocation } from "../contract.ts";
import { resolveExpressions } from "./binding-expressions.ts";

const binding = (path: string) => ({ type: "cosmosDB", direction: "out" as const, connection: "Key={not};", path });
const path = (text: string, invocation: Omit<Invocation, "invocationId">) =>
  resolveExpressions(binding(text), { invocationId: "1", ...invocation })["path"];

test("members of an activity's input, at any depth and whatever the case", () => {
  const activity = {
    input: JSON.stringify({ backupPath: "a/b.txt", by: { Name: "n" }, list: [1] }),
    instanceId: "i-1",
  };
  const invocation = { inputs: { trigger: { json: activity.input } }, activity };
  expect(path("x/{backupPath}", invocation)).toBe("x/a/b.txt");
  expect(path("x/{BY.name}-{instanceId}-{data.list}", invocation)).toBe("x/n-i-1-[1]");
});

test("metadata, and of a request its route and its query", () => {
  expect(path("x/{id}", { inputs: {}, triggerMetadata: { Id: { int: 7 } } })).toBe("x/7");
  const http = { query: { page: "2" }, params: { name: "n" } };
  expect(path("x/{name}/{page}", { inputs: { request: { http } } })).toBe("x/n/2");
});

test("an id and a time of its own", () => {
  expect(path("x/{rand-guid}", { inputs: {} })).toMatch(/^x\/[\da-f-]{36}$/);
  expect(path("x/{DateTime}", { inputs: {} })).toMatch(/^x\/\d{4}-/);
});

test("what nothing has is named, and a connection is left alone", () => {
  expect(() => path("x/{nobody}", { inputs: {} })).toThrow(/"path" takes \{nobody\} from the invocation/);
  expect(resolveExpressions(binding("x"), { invocationId: "1", inputs: {} })["connection"]).toBe("Key={not};");
});
