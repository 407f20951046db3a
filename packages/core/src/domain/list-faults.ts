// What may be wrong with a step that runs for each item of a list: of the job's content, or of the result of a step before it.
import { MOST_ITEMS, runOfItem } from "./items.ts";
import { type Source, sourceOf } from "./list-source.ts";
import type { KnownRules, Workflow, WorkflowStep } from "./workflow.ts";

/** With the number of its item, a name has the same maximum length as any other. */
const LONGEST_NAME = 25 - runOfItem("", MOST_ITEMS).length;

export function listFaultsOf(step: WorkflowStep, workflow: Workflow, { lists }: KnownRules, at: string): string[] {
  const { name, forEach } = step;
  if (forEach === undefined) return [];
  const source = sourceOf(forEach);
  const faults =
    source === undefined
      ? lists.includes(forEach)
        ? []
        : [`${at}: no list ${forEach}; there are ${lists.join(", ") || "none"}`]
      : sourceFaults(step, source, workflow, at);
  if (name.length <= LONGEST_NAME) return faults;
  return [...faults, `${at}: the name of a step with forEach has at most ${LONGEST_NAME} letters and digits`];
}

function sourceFaults(step: WorkflowStep, source: Source, workflow: Workflow, at: string): string[] {
  const { forEach, assignee } = step;
  const from = workflow.steps.find(({ name }) => name === source.step);
  if (!from) return [`${at}: forEach ${forEach}: there is no step ${source.step}`];
  const faults: string[] = [];
  if (!isBefore(source.step, step, workflow)) {
    faults.push(
      `${at}: forEach ${forEach}: ${source.step} has to come before it: name it, or a step after it, in after`,
    );
  }
  if (from.forEach !== undefined) {
    faults.push(`${at}: forEach ${forEach}: ${source.step} is done for each item, and has no one result`);
  }
  if (from.otherwise !== undefined) {
    faults.push(
      `${at}: forEach ${forEach}: ${source.step} may be replaced by ${from.otherwise}, which has another result`,
    );
  }
  // A spare is skipped with the step that it stands in for.
  if (maySkip(from, workflow) && !step.needs?.includes(source.step) && !isSpare(step, workflow)) {
    faults.push(
      `${at}: forEach ${forEach}: ${source.step} may be skipped, and then there is no list: name it in needs`,
    );
  }
  if (typeof assignee === "object") {
    faults.push(`${at}: assignee: a rule is evaluated at submission, when ${forEach} is not known: name the assignee`);
  }
  return faults;
}

function isBefore(name: string, { after }: WorkflowStep, { steps }: Workflow): boolean {
  const found = new Set(after);
  for (const before of found)
    for (const other of steps.find((step) => step.name === before)?.after ?? []) found.add(other);
  return found.has(name);
}

/** A fault of its own, a condition, a skipped step that it needs, or a step that it stands in for. */
function maySkip(step: WorkflowStep, workflow: Workflow): boolean {
  const { optional, when, needs = [], otherwise } = step;
  const isByItself = optional === true || when !== undefined || otherwise !== undefined;
  return isByItself || needs.length > 0 || isSpare(step, workflow);
}

const isSpare = ({ name }: WorkflowStep, { steps }: Workflow) => steps.some(({ otherwise }) => otherwise === name);
