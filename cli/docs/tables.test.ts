// What the site shows beside git's pages: each table has its place, and a terminal reader can print it.
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../settings.ts";
import { choicesTable } from "./choices.ts";
import { limitsTables } from "./limits.ts";
import { DOCS } from "./pages.ts";
import { routesTable } from "./routes.ts";
import { defaultOf, settingsTable } from "./settings.ts";
import { placeOf, TABLES } from "./tables.ts";

const pageOf = (name: string) => readFileSync(join(DOCS, `reference/${name}.md`), "utf8");
const show = (name: string) =>
  spawnSync(process.execPath, ["-C", "sources", "cli/docs.ts", "--show", name], { cwd: ROOT, encoding: "utf8" });

test("the defaults of the settings that stand on the page are those of the code", () => {
  const [, table = ""] = pageOf("settings").split("\n## Settings\n");
  const rows = [...table.matchAll(/^\| `(\w+)` \| .* \|(?: (.+))? \|$/gm)];
  expect(rows.length).toBeGreaterThan(10);
  for (const [, name = "", usual = ""] of rows) expect(usual, name).toBe(defaultOf(name));
});

test.each(Object.entries(TABLES))("%s: its page has its place, and says how to print it", (name, { page, text }) => {
  expect(pageOf(page)).toContain(`\n${placeOf(name)}\n`);
  expect(pageOf(page)).toContain(`\`npm run docs -- --show ${name}\``);
  // Each has a heading, a table or a list.
  expect(text()).toMatch(/^(#+ |\| |- )/m);
});

test("no page has a place for a table that there is not", () => {
  const places = globSync("**/*.md", { cwd: DOCS, exclude: ["node_modules/**", "reference/tables/**"] }).flatMap(
    (page) => readFileSync(join(DOCS, page), "utf8").match(/<!-- *@include:.*?-->/g) ?? [],
  );
  expect(places.sort()).toEqual(Object.keys(TABLES).map(placeOf).sort());
});

test("npm run docs -- --show NAME prints a table, and names all for an unknown one", () => {
  expect(show("settings").stdout).toBe(`${settingsTable()}\n`);
  const { status, stderr } = show("everything");
  expect(status).toBe(2);
  for (const name of Object.keys(TABLES)) expect(stderr).toContain(name);
});

test("every setting has its meaning", () => {
  const rows = settingsTable().split("\n").slice(2);
  expect(rows.length).toBeGreaterThan(40);
  for (const row of rows) expect(row).toMatch(/^\| `\w+` \| [^|]{8,} \| (`.*` )?\|$/);
  expect(rows).toContain(
    "| `StartWithin` | How long a step may wait for its agent before it may be scheduled again. | `PT30S` |",
  );
});

test("every choice has its meaning, and its values and default as Bicep has them", () => {
  const rows = choicesTable().split("\n").slice(2);
  expect(rows.length).toBeGreaterThan(30);
  for (const row of rows) expect(row).toMatch(/^\| `[A-Z_]+` \| [^|]{8,} \| ([^|]+ )?\| (`.*` )?\|$/);
  expect(rows).toContain(
    "| `COSMOS_MAX_THROUGHPUT` | Request units a second up to which each container scales; autoscale only. | from 1000 | `1000` |",
  );
  expect(rows.find((row) => row.includes("`NETWORK`"))).toMatch(/ \| `none`, `private` \| `none` \|$/);
  expect(rows.find((row) => row.includes("`ALERT_EMAIL`"))).toMatch(/ \| \| \|$/);
});

test("the limits that stand on the page are those of the code", () => {
  const all = limitsTables().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  const rows = pageOf("limits")
    .split("\n")
    .filter((line) => /^\| [A-Z]/.test(line));
  expect(rows.length).toBeGreaterThan(3);
  for (const row of rows) expect(all).toContain(row);
});

test("the routes have what each takes: of its query, of its body, and If-Match", () => {
  const rowOf = (request: string) =>
    routesTable()
      .split("\n")
      .find((line) => line.startsWith(`| \`${request}\` |`));
  expect(rowOf("GET /api/session")).toBe("| `GET /api/session` | | The signed-in operator and the environment |");
  expect(rowOf("GET /api/held-up/jobs")).toContain("| `group`, `from`, `limit` |");
  expect(rowOf("POST /api/jobs/{jobId}/extend")).toContain("| `reason`, `by`, `only`?, If-Match |");
});
