// Log lines: one for an entry, gathered before they are written.
import { expect, test, vi } from "vitest";
import { bufferedWriter, formatEntry } from "./log.ts";

const entry = { level: "error", category: "Function.intake", source: "intake", message: "failed\n  at once" } as const;
const at = new Date("2026-01-02T03:04:05.678Z");

test("an entry is one line, and in colour keeps the lines of a stack apart", () => {
  expect(formatEntry(entry, at, false)).toBe("03:04:05.678 error intake: failed | at once");
  expect(formatEntry(entry, at, true)).toBe("\x1b[31m03:04:05.678 error intake: failed\n  at once\x1b[0m");
});

test("lines are written together, in their order", () => {
  vi.useFakeTimers();
  const written: string[] = [];
  const { line, flush } = bufferedWriter((text) => written.push(text));
  line("one");
  line("two");
  expect(written).toEqual([]);
  vi.advanceTimersByTime(50);
  line("three");
  flush();
  flush();
  expect(written).toEqual(["one\ntwo\n", "three\n"]);
  vi.useRealTimers();
});
