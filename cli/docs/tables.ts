// The tables that follow from code and tests. The site has each on its page; git has none of them, and `npm run docs -- --show NAME` prints one.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ALIKE, DERIVED, EVENTS, METRICS } from "@scheduler-agent-supervisor/core/telemetry";
import { business } from "../../shared/business.ts";
import { tables as failureModes } from "../../tests/faults/failure-modes.ts";
import { sectionsOf } from "../workflows/mermaid.ts";
import { newestOf } from "../workflows/page.ts";
import { answersTable } from "./answers.ts";
import { choicesTable } from "./choices.ts";
import { limitsTables } from "./limits.ts";
import { DOCS } from "./pages.ts";
import { routesTable } from "./routes.ts";
import { settingsTable } from "./settings.ts";

interface Table {
  /** Below docs/reference, without its ending: it has the line that VitePress replaces by the table, and names the command. */
  readonly page: string;
  readonly text: () => string;
}

export const TABLES: { readonly [name: string]: Table } = {
  answers: { page: "answers", text: answersTable },
  choices: { page: "settings", text: choicesTable },
  events: { page: "telemetry", text: eventsTable },
  "failure-modes": { page: "failure-modes", text: failureModes },
  limits: { page: "limits", text: limitsTables },
  metrics: { page: "telemetry", text: metricsTable },
  routes: { page: "operator-api", text: routesTable },
  settings: { page: "settings", text: settingsTable },
  workflows: { page: "workflows", text: () => sectionsOf(newestOf(business.workflows).slice(1)) },
};

/** Where the pages find them when the site is built. */
const FOLDER = join(DOCS, "reference/tables");

/** Replaced on the site; no reader on GitHub sees it. */
export const placeOf = (name: string): string => `<!--@include: ./tables/${name}.md-->`;

export function writeTables(): void {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, { text }] of Object.entries(TABLES))
    writeFileSync(join(FOLDER, `${name}.md`), `${text().trim()}\n`);
}

export function eventsTable(): string {
  const alike: readonly string[] = ALIKE;
  const rows = Object.entries(EVENTS).map(([name, [level, when, attributes]]) => {
    return `| \`${name}\`${alike.includes(name) ? " \\*" : ""} | ${level} | ${when} | ${attributes} |`;
  });
  return ["| event | level | when | attributes |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

export function metricsTable(): string {
  const rows = Object.entries(METRICS).map(([name, { kind, unit, attributes, description }]) => {
    const events = Object.entries(DERIVED).flatMap(([event, made]) =>
      made.some(({ metric }) => metric === name) ? [`\`${event}\``] : [],
    );
    const cells = [
      `\`${name}\``,
      kind === "age" ? "gauge" : kind,
      unit.replaceAll(/[{}]/g, ""),
      attributes,
      description,
      events.join(", "),
    ];
    return `|${cells.map((cell) => (cell === "" ? " |" : ` ${cell} |`)).join("")}`;
  });
  return [
    "| metric | kind | unit | attributes | meaning | made of |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}
