// What the host's limit for a function allows is judged at start (P8): by host.json, or by the setting that overrides it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { videos } from "../../tests/videos.ts";
import { functionTimeoutOf, startFaults } from "./start-faults.ts";

const root = mkdtempSync(join(tmpdir(), "host-json-"));
afterAll(() => rmSync(root, { recursive: true }));
const OVERRIDE = "AzureFunctionsJobHost__functionTimeout";

test.each([
  ["00:02:00", 120_000],
  ["1.00:00:30", 86_430_000],
  ["00:00:30.5", 30_500],
  ["-1", Number.POSITIVE_INFINITY],
  ["soon", 300_000],
  [undefined, 300_000],
])("host.json with functionTimeout %s is %d ms", (functionTimeout, ms) => {
  writeFileSync(join(root, "host.json"), JSON.stringify({ version: "2.0", functionTimeout }));
  expect(functionTimeoutOf({ AzureWebJobsScriptRoot: root }).ms).toBe(ms);
});

test("a setting overrides it, and without a host.json the usual limit holds", () => {
  expect(functionTimeoutOf({ [OVERRIDE]: "00:03:00" }, root)).toEqual({
    ms: 180_000,
    from: `the setting ${OVERRIDE}=00:03:00`,
  });
  expect(functionTimeoutOf({}, join(root, "nowhere")).ms).toBe(300_000);
});

const faults = (settings: { [name: string]: string }) =>
  startFaults(videos, settings).filter((fault) => fault.includes("timeout"));

test("P8 a workflow whose steps fit into five minutes does not start on a host that allows less: the error says which, and the way out", () => {
  expect(faults({ [OVERRIDE]: "00:05:00" })).toEqual([]);
  const [fault, ...others] = faults({ [OVERRIDE]: "00:01:30" });
  expect(others).toEqual([]);
  // 30 s to start and a minute to encode, and 30 s are left to record the end.
  expect(fault).toContain(
    "workflow publishing v1, step encode: the setting StartWithin, 30 s, does not fit into the functions' timeout, in which its agent also waits for a place: " +
      `the step alone has 60 s of at most 60 s: shorten completeWithin, of its compensation too, or raise the setting ${OVERRIDE}=00:01:30`,
  );
  expect(fault).not.toContain("step keepFile");
  expect(faults({ [OVERRIDE]: "00:01:50" })[0]).toContain("at most 20 s beside 60 s for the step, or raise");
});
