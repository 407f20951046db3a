// The check of the library's inside, and the comparison of a replay with its history.
import { expect, test } from "vitest";
import { compareWithHistory } from "./determinism.ts";
import { taskScheduled, timerCreated } from "./history.ts";
import { checkLibrary, libraryContext } from "./library.ts";

test("the library that is installed is the one that the engine knows", () => {
  expect(checkLibrary).not.toThrow();
});

test("another library is refused by the version to pin", () => {
  const stranger = { taskOrchestratorExecutor: { trackOpenTask() {}, actions: [] } };
  expect(() => libraryContext(stranger)).toThrow(
    /recordFireAndForgetAction, processEvent.*"durable-functions": "3\.5\.0"/,
  );
});

const at = new Date(0);
const history = [taskScheduled(at, 0, "pay", "1"), timerCreated(at, 1, 5)];
const pay = { kind: "activity", id: 0, name: "pay", input: "2" } as const;
const timer = { kind: "timer", id: 1, fireAt: 9 } as const;

test("a replay that does the same yields what is new", () => {
  const next = { kind: "activity", id: 2, name: "ship", input: "1" } as const;
  expect(compareWithHistory("order", history, [pay, timer, next])).toEqual({ kind: "same", fresh: [next] });
});

test.each([
  ["another activity", [{ ...pay, name: "refund" }, timer], 'task 0 was activity "pay" and is now activity "refund"'],
  ["another kind", [pay, { ...pay, id: 1 }], 'task 1 was a timer and is now activity "pay"'],
  ["less", [pay], "task 1 was a timer and is not scheduled any more"],
])("a replay that schedules %s is found out", (_, commands, message) => {
  expect(compareWithHistory("order", history, commands)).toMatchObject({
    kind: "differs",
    message: expect.stringContaining(message) as unknown,
  });
});
