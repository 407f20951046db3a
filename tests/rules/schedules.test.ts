// What the app takes as a schedule at its start, the timers of Azure Functions take too: by the answers of Microsoft's library.
import { readFileSync } from "node:fs";
import { schedule } from "@scheduler-agent-supervisor/core/app";
import { expect, test } from "vitest";

const path = "packages/local/src/host/schedule/microsoft-times.json";
const { ncrontab } = JSON.parse(readFileSync(path, "utf8")) as { readonly ncrontab: Readonly<Record<string, unknown>> };

test.each(Object.entries(ncrontab).filter(([, answer]) => answer === null))("the app refuses %j", (text) => {
  expect(schedule.safeParse(text).success).toBe(false);
});

test.each([
  "*/10 * * * * *",
  "0 17 * * * *",
  "0 0 0 1 1 *",
  "0 */5 * * * *",
  "0 0 9-17 * * MON-FRI",
  "0 0 0 * * FRI-MON",
  "0 1-10/3 * * JAN,jul *",
])("the app takes %j", (text) => {
  expect(schedule.safeParse(text).success).toBe(true);
});
