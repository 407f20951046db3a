// A workflow as a graph for a terminal: a line for each step, in an order in which they can run, with a rail for each that goes on.
import { styleText } from "node:util";
import { levelsOf, type Workflow, type WorkflowStep } from "@scheduler-agent-supervisor/core/internal/domain/workflow";
import {
  askedOf,
  cancellationInWords,
  compensationInWords,
  outputsInWords,
  ownPolicyInWords,
  policyInWords,
  shapeInWords,
} from "./words.ts";

export function drawn(workflow: Workflow): string {
  const levels = levelsOf(workflow);
  const width = Math.max(...workflow.steps.map(({ name }) => name.length));
  const lines = levels.flatMap((level, index) => [
    ...(index === 0 ? [] : ["  │"]),
    ...level.flatMap((step, place) => stepLines(workflow, step, railOf(place, level.length), width)),
  ]);
  const heading = styleText("bold", `${workflow.name}, version ${workflow.version}`);
  const said = [policyInWords(workflow.policy), outputsInWords(workflow), cancellationInWords(workflow)];
  const words = said.map((line) => `  ${line}`);
  return [heading, ...words, "", ...lines, ""].join("\n");
}

function railOf(place: number, count: number): string {
  if (count === 1) return "●";
  if (place === 0) return "┬";
  return place === count - 1 ? "└" : "├";
}

function stepLines(workflow: Workflow, step: WorkflowStep, rail: string, width: number): string[] {
  const own = ownPolicyInWords(workflow, step);
  const shape = shapeInWords(step);
  const { name, after } = step;
  const waits = after.length > 0 ? `after ${after.join(", ")}` : "first";
  const indent = `  ${rail === "●" || rail === "└" ? " " : "│"}   ${" ".repeat(width)}  `;
  return [
    `  ${rail} ${styleText("cyan", name.padEnd(width))}  ${askedOf(step)}`,
    `${indent}  ${styleText("dim", `${waits}; ${compensationInWords(step)}`)}`,
    ...(shape ? [`${indent}  ${styleText("dim", shape)}`] : []),
    ...(own ? [`${indent}  ${styleText("dim", own)}`] : []),
  ];
}
