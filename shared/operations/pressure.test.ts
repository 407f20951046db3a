import { expect, test } from "vitest";
import { createPressure } from "./pressure.ts";

function measured(waitedMs: number, count: number) {
  let clock = 1_000_000;
  const pressure = createPressure(1000, () => clock);
  for (let step = 0; step < count; step += 1) pressure.note(waitedMs);
  return { pressure, after: (ms: number) => (clock += ms) };
}

test.each([
  ["steps that wait for long", 1500, 40, true, false],
  ["steps that wait for very long: urgent orders wait too", 2500, 40, true, true],
  ["steps that are served in time", 900, 40, false, false],
  ["a few slow ones, as when an engine has idled", 5000, 19, false, false],
])("%s", (_, waitedMs, count, normal, high) => {
  const { pressure } = measured(waitedMs, count);
  expect([pressure.isHigh("normal"), pressure.isHigh("high")]).toEqual([normal, high]);
});

test("the last two seconds count", () => {
  const { pressure, after } = measured(3000, 40);
  after(1000);
  expect(pressure.isHigh("normal")).toBe(true);
  after(1000);
  expect(pressure.isHigh("normal")).toBe(false);
});
