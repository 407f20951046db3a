// A workflow as a Mermaid flowchart: a box for each step, an arrow from each step that it waits for.
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
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

export function mermaidOf(workflow: Workflow): string {
  const boxes = workflow.steps.map((step) => {
    const own = ownPolicyInWords(workflow, step);
    const said = [askedOf(step), assigneeInWords(step), shapeInWords(step), compensationInWords(step)];
    const asked = said.filter((line) => line !== undefined);
    const lines = [`<b>${step.name}</b>`, ...asked, ...(own ? [`<i>${own}</i>`] : [])];
    return `  ${step.name}["${lines.join("<br/>")}"]`;
  });
  const isFallback = (before: string, name: string) =>
    workflow.steps.some((step) => step.name === before && step.otherwise === name);
  const arrows = workflow.steps.flatMap(({ name, after }) =>
    after.map((before) => `  ${before} ${isFallback(before, name) ? "-. otherwise .->" : "-->"} ${name}`),
  );
  return ["flowchart LR", ...boxes, ...arrows].join("\n");
}

/** All of them as a page's section: a heading, the policy, the picture. */
export function sectionsOf(workflows: readonly Workflow[]): string {
  return workflows
    .map((workflow) => {
      const heading = `## ${workflow.name}, version ${workflow.version}`;
      const deadline = deadlineInWords(workflow);
      const policy = policyInWords(workflow.policy) + (deadline ? `; ${deadline}` : "");
      return `${heading}\n\n${policy}. It ${outputsInWords(workflow)}, and ${cancellationInWords(workflow)}.\n\n\`\`\`mermaid\n${mermaidOf(workflow)}\n\`\`\`\n`;
    })
    .join("\n");
}
