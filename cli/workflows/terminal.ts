// A workflow as a graph for a terminal: a line for each step, in an order in which they can run, with a rail for each that goes on.
import { styleText } from "node:util";
import { levelsOf } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow, WorkflowStep } from "@scheduler-agent-supervisor/core/workflows";
import { hanging, wrapped } from "../every-app/wrapped.ts";
import {
  askedOf,
  assigneeInWords,
  cancellationInWords,
  compensationInWords,
  deadlineInWords,
  outputsInWords,
  ownPolicyInWords,
  policyInWords,
  shapeInWords,
} from "./words.ts";

/** @param columns the width of the terminal */
export function drawn(workflow: Workflow, columns: number): string {
  const levels = levelsOf(workflow);
  const width = Math.max(...workflow.steps.map(({ name }) => name.length));
  const lines = levels.flatMap((level, index) => [
    ...(index === 0 ? [] : ["  │"]),
    ...level.flatMap((step, place) => stepLines(workflow, step, railOf(place, level.length), width, columns)),
  ]);
  const heading = styleText("bold", `${workflow.name}, version ${workflow.version}`);
  const ends = [outputsInWords(workflow), cancellationInWords(workflow)];
  const said = [policyInWords(workflow.policy), deadlineInWords(workflow), ...ends];
  const words = said.flatMap((line) => (line === undefined ? [] : hanging("  ", "    ", line, columns)));
  return [heading, ...words, "", ...lines, ""].join("\n");
}

function railOf(place: number, count: number): string {
  if (count === 1) return "●";
  if (place === 0) return "┬";
  return place === count - 1 ? "└" : "├";
}

function stepLines(workflow: Workflow, step: WorkflowStep, rail: string, width: number, columns: number): string[] {
  const { name, after } = step;
  const waits = after.length > 0 ? `after ${after.join(", ")}` : "first";
  const under = `  ${rail === "●" || rail === "└" ? " " : "│"}   `;
  // Beside the longest name, where that leaves room; else below each.
  const beside = `${under}${" ".repeat(width)}`;
  const isBeside = beside.length + 4 <= columns / 2;
  const below = isBeside ? `${beside}    ` : under;
  const depends = [assigneeInWords(step), shapeInWords(step), ownPolicyInWords(workflow, step)];
  const said = [`${waits}; ${compensationInWords(step)}`, ...depends];
  const head = `  ${rail} ${styleText("cyan", name.padEnd(isBeside ? width : 0))}`;
  return [
    ...(isBeside
      ? hanging(`${head}  `, beside, askedOf(step), columns)
      : [head, ...hanging(below, below, askedOf(step), columns)]),
    ...said.flatMap((text) =>
      text ? wrapped(text, columns - below.length).map((line) => `${below}${styleText("dim", line)}`) : [],
    ),
  ];
}
