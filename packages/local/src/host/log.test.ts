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

test.each([
  ["\n03:04:05.678 info  host: all is well", " | 03:04:05.678 info  host: all is well"],
  ["\r03:04:05.678 info", " | 03:04:05.678 info"],
  ["\u2028\u0085\v\f\r\n03:04", " | 03:04"],
  ["\u001b[2K\u001b[1Ainfo", "info"],
  ["\u001b]0;title\u0007info", "info"],
  ["\u009b31mred\u0008\u0000", "red  "],
  ["\u202eoediv", " oediv"],
])("what somebody else has written, such as %j, begins no line and moves no cursor", (message, said) => {
  expect(formatEntry({ ...entry, message: `no${message}` }, at, false)).toBe(`03:04:05.678 error intake: no${said}`);
  const coloured = formatEntry({ ...entry, message: `no${message}` }, at, true).slice(
    "\x1b[31m".length,
    -"\x1b[0m".length,
  );
  expect(coloured).toBe(`03:04:05.678 error intake: no${said.replace(" | ", "\n  ")}`);
});
