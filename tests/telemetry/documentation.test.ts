// docs/reference/telemetry.md names every metric, and nothing else; what is shown of the events is what the code has.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SKIP_CAUSES } from "@scheduler-agent-supervisor/core/internal/domain/definition/skipped";
import { ALIKE } from "@scheduler-agent-supervisor/core/internal/telemetry/alike";
import { EVENTS } from "@scheduler-agent-supervisor/core/internal/telemetry/event-names";
import { logTelemetry } from "@scheduler-agent-supervisor/core/internal/telemetry/events";
import { DERIVED, METRICS } from "@scheduler-agent-supervisor/core/internal/telemetry/metrics";
import { expect, test } from "vitest";
import { eventsTable } from "../../cli/docs/events.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/reference/telemetry.md"), "utf8");

/** The rows of the table below a heading, cell by cell. */
function tableUnder(heading: string): string[][] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
}

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

test("every metric has its row, with its kind and unit, and the events that it is made of", () => {
  const rows = tableUnder("Metrics");
  expect(rows.map(([, name]) => nameIn(name)).sort()).toEqual(Object.keys(METRICS).sort());
  for (const [, name, kind, unit, , , from = ""] of rows) {
    const metric = METRICS[nameIn(name) as keyof typeof METRICS];
    expect(kind, name).toBe(metric.kind === "age" ? "gauge" : metric.kind);
    if (metric.unit === "ms" || metric.unit === "s") expect(unit, name).toBe(metric.unit);
    const events = Object.entries(DERIVED).flatMap(([event, derivations]) =>
      derivations.some((derivation) => derivation.metric === nameIn(name)) ? [event] : [],
    );
    for (const event of events) expect(from, `${name} is made of ${event}`).toContain(`\`${event}\``);
  }
});

test("a step that the workflow skips by its own rules is information; one that was given up is a warning", () => {
  const said: string[] = [];
  const log = (level: string) => (line: string) => said.push(`${level} ${JSON.parse(line).cause}`);
  const telemetry = logTelemetry({ info: log("info"), warn: log("warn"), error: log("error") });
  for (const cause of SKIP_CAUSES) telemetry.event("StepSkipped", { cause });
  expect(said).toEqual(["info condition", "info needs", "info notNeeded", "warn rejected", "warn expired"]);
});
