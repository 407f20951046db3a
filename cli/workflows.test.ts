// What `npm run workflows` draws.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { workflows } from "../shared/workflows/workflows.ts";
import { GRAPH } from "../tests/support/orders.ts";
import { ROOT } from "./settings.ts";
import { mermaidOf } from "./workflows/mermaid.ts";
import { workflowsPage } from "./workflows/page.ts";
import { drawn } from "./workflows/terminal.ts";
import { policyInWords, spoken } from "./workflows/words.ts";

test.each([
  ["PT10S", "10 s"],
  ["PT1M30S", "1 min 30 s"],
  ["P1DT2H", "1 d 2 h"],
  ["PT0.5S", "0.5 s"],
])("%s is %s", (duration, words) => expect(spoken(duration)).toBe(words));

const COLUMNS = 80;

test("a policy in words", () =>
  expect(
    policyInWords({
      failureThreshold: 3,
      mostFailures: 9,
      waits: ["PT1M", "PT5M"],
      onExhausted: "compensate",
      onRejected: "fail",
    }),
  ).toBe(
    "3 attempts a step, 9 in all steps together, then waits of 1 min, 5 min with an attempt after each, then compensate; rejected: Error, an operator decides",
  ));

test("every step has its box and every dependency its arrow", () => {
  const text = mermaidOf(GRAPH);
  for (const { name, after } of GRAPH.steps) {
    expect(text).toContain(`  ${name}["<b>${name}</b><br/>`);
    for (const before of after) expect(text).toContain(`  ${before} --> ${name}`);
  }
  expect(text.match(/-->/g)).toHaveLength(GRAPH.steps.flatMap(({ after }) => after).length);
});

test.each([40, 80])("in a terminal of %i columns no line is wider", (columns) => {
  for (const workflow of workflows) {
    const lines = stripVTControlCharacters(drawn(workflow, columns)).split("\n");
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  }
});

test("in the terminal each step stands once, after those it waits for", () => {
  const lines = stripVTControlCharacters(drawn(GRAPH, COLUMNS)).split("\n");
  const place = (name: string) => lines.findIndex((line) => new RegExp(`^  \\S ${name} `).test(line));
  for (const { name, after } of GRAPH.steps) {
    expect(place(name)).toBeGreaterThan(0);
    for (const before of after) expect(place(name)).toBeGreaterThan(place(before));
  }
});

test("docs/reference/workflows.md shows the workflows as they are: npm run workflows -- --write", () => {
  const page = readFileSync(join(ROOT, "docs/reference/workflows.md"), "utf8");
  expect(page).toBe(workflowsPage(page, workflows));
});
