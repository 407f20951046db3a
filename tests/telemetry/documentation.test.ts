// What is shown of events and metrics is what the code has, and docs/reference/telemetry.md names no other.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SKIP_CAUSES } from "@scheduler-agent-supervisor/core/domain";
import { ALIKE, DERIVED, EVENTS, logTelemetry, METRICS } from "@scheduler-agent-supervisor/core/telemetry";
import { expect, test } from "vitest";
import { eventsTable, metricsTable } from "../../cli/docs/tables.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/reference/telemetry.md"), "utf8");

const section = (heading: string) => page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
const nameIn = (cell = "") => cell.replaceAll("`", "");

test("every event is shown, with its level, when it comes and its attributes", () => {
  const rows = eventsTable().split("\n").slice(2);
  expect(rows).toHaveLength(Object.keys(EVENTS).length);
  for (const [name, [level, when, attributes]] of Object.entries(EVENTS)) {
    expect([when, attributes].every(Boolean), name).toBe(true);
    const mark = (ALIKE as readonly string[]).includes(name) ? " \\*" : "";
    expect(rows).toContain(`| \`${name}\`${mark} | ${level} | ${when} | ${attributes} |`);
  }
});

test("every metric is shown, with its kind, its unit, the events that it is made of and what it takes over from them", () => {
  const rows = metricsTable()
    .split("\n")
    .slice(2)
    .map((line) => line.split("|").map((cell) => cell.trim()));
  expect(rows.map(([, name]) => nameIn(name))).toEqual(Object.keys(METRICS));
  for (const [, name, kind, unit, attributes = "", meaning, from = ""] of rows) {
    const metric = METRICS[nameIn(name) as keyof typeof METRICS];
    expect(kind, name).toBe(metric.kind === "age" ? "gauge" : metric.kind);
    if (metric.unit === "ms" || metric.unit === "s") expect(unit, name).toBe(metric.unit);
    expect(meaning, name).toBe(metric.description);
    for (const [event, derivations] of Object.entries(DERIVED)) {
      for (const { by = [], further = {} } of derivations.filter(({ metric }) => metric === nameIn(name))) {
        expect(from, `${name} is made of ${event}`).toContain(`\`${event}\``);
        for (const attribute of [...by, ...Object.keys(further)])
          expect(attributes, name).toContain(`\`${attribute}\``);
      }
    }
  }
});

test("the metrics that the page has are metrics", () => {
  const named = [...(section("Metrics").match(/`\w+(\.\w+)+`/g) ?? [])].map(nameIn);
  expect(named.length).toBeGreaterThan(5);
  expect(Object.keys(METRICS)).toEqual(expect.arrayContaining(named));
});

test("a step that the workflow skips by its own rules is information; one that was given up is a warning", () => {
  const said: string[] = [];
  const log = (level: string) => (line: string) => said.push(`${level} ${JSON.parse(line).cause}`);
  const telemetry = logTelemetry({ info: log("info"), warn: log("warn"), error: log("error") });
  for (const cause of SKIP_CAUSES) telemetry.event("StepSkipped", { cause });
  expect(said).toEqual(["info condition", "info needs", "info notNeeded", "warn rejected", "warn expired"]);
});
