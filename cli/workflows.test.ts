// What `npm run workflows` draws.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Workflow, WorkflowStep } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { workflows } from "../shared/workflows/workflows.ts";
import { GRAPH } from "../tests/support/orders.ts";
import { ROOT } from "./settings.ts";
import { mermaidOf, sectionsOf } from "./workflows/mermaid.ts";
import { workflowsPage } from "./workflows/page.ts";
import { drawn } from "./workflows/terminal.ts";
import { assigneeInWords, policyInWords, spoken } from "./workflows/words.ts";

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
      waits: ["PT1M", "PT5M"],
      onExhausted: "compensate",
      onRejected: "fail",
    }),
  ).toBe(
    "3 attempts a step, then waits of 1 min, 5 min with an attempt after each, then compensate; rejected: Error, an operator decides",
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

/** A workflow in which each member says something. */
const FULL: Workflow = {
  ...GRAPH,
  steps: [
    {
      ...{ name: "approve", agent: "desk", operation: "ask", after: [], completeWithin: "PT10S", awaitWithin: "P2D" },
      compensation: { operation: "withdraw", completeWithin: "PT10S" },
    },
    {
      name: "note",
      agent: "desk",
      operation: "note",
      after: ["approve"],
      completeWithin: "PT10S",
      compensation: "nothing",
    },
  ],
};
const [approve, note] = FULL.steps as [WorkflowStep, WorkflowStep];
/** Each member of a step, and what its drawing has then and had not before. */
const MEMBERS: { readonly [member in keyof Required<WorkflowStep>]: readonly [WorkflowStep[member], string] } = {
  name: ["sign", "sign"],
  agent: ["office", "office.ask"],
  operation: ["beg", "desk.beg"],
  transport: ["queue", "over its queue"],
  after: [["note"], "note"],
  optional: [true, "may be skipped"],
  when: ["isRisky", "only when isRisky"],
  needs: [["note"], "only with note"],
  otherwise: ["note", "otherwise"],
  forEach: ["papers", "once for each of papers"],
  completeWithin: ["PT7S", "within 7 s"],
  awaitWithin: ["P3D", "reported within 3 d"],
  assignee: ["underwriters", "by underwriters, with a reminder after 1 d"],
  compensation: ["manual", "compensated manually"],
  policy: [{ onAwaitExpired: "fail" }, "not reported in time: Error"],
};

test.each(Object.entries(MEMBERS))("a step's %s is drawn, in the terminal and on the page", (member, [value, said]) => {
  const steps = [{ ...approve, [member]: value }, member === "otherwise" ? note : { ...note, after: [] }];
  const draw = (one: Workflow) => [stripVTControlCharacters(drawn(one, 200)), mermaidOf(one)];
  for (const [at, drawing] of draw({ ...FULL, steps }).entries()) {
    expect(drawing).toContain(said);
    const before = draw({ ...FULL, steps: [approve, note] })[at]?.replaceAll("note", "");
    expect(before?.includes(said)).toBe(false);
  }
});

/** Each member of a workflow. */
const OF_WORKFLOW: { readonly [member in keyof Required<Workflow>]: readonly [Workflow[member], string] } = {
  name: ["approval", "approval"],
  version: [99, "version 99"],
  steps: [[{ ...note, after: [] }], "desk.note"],
  policy: [{ ...GRAPH.policy, failureThreshold: 42 }, "42 attempts"],
  outputs: [{ paper: "note.paper" }, "returns paper (note.paper)"],
  deadline: [{ completeWithin: "P14D", onExpired: "compensate" }, "done within 14 d, or compensate"],
  cancelUntil: ["note", "until note begins"],
};

test.each(Object.entries(OF_WORKFLOW))(
  "a workflow's %s is drawn, in the terminal and on the page",
  (member, [value, said]) => {
    const one = { ...FULL, steps: [approve], [member]: value } as Workflow;
    for (const drawing of [stripVTControlCharacters(drawn(one, 200)), sectionsOf([one])])
      expect(drawing).toContain(said);
  },
);

test("a compensation that waits for a person", () => {
  const withdraw = { operation: "withdraw", completeWithin: "PT10S", awaitWithin: "PT1H" };
  expect(assigneeInWords({ ...approve, assignee: "clerks", compensation: withdraw })).toBe(
    "by clerks, with a reminder after 1 d or 30 min",
  );
});

test("docs/reference/workflows.md shows the workflows as they are: npm run workflows -- --write", () => {
  const page = readFileSync(join(ROOT, "docs/reference/workflows.md"), "utf8");
  expect(page).toBe(workflowsPage(page, workflows));
});
