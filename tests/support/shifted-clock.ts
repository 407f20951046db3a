// Loaded before a process: its wall clock goes wrong by what the file that CLOCK_SHIFT_FILE names says, in milliseconds.
import { readFileSync } from "node:fs";

const file = process.env["CLOCK_SHIFT_FILE"] ?? "";
const READ_EVERY_MS = 100;

const TrueDate = Date;
let shiftMs = 0;
let readAt = Number.NEGATIVE_INFINITY;

function now(): number {
  // The shift may change while the process runs; this clock is no one's to shift.
  if (performance.now() - readAt > READ_EVERY_MS) {
    readAt = performance.now();
    shiftMs = Number(readFileSync(file, "utf8"));
  }
  return TrueDate.now() + shiftMs;
}

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, args, wanted) => Reflect.construct(target, args.length === 0 ? [now()] : args, wanted),
  apply: () => new TrueDate(now()).toString(),
  get: (target, member) => (member === "now" ? now : Reflect.get(target, member)),
});
