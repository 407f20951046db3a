// The faults of steps that submit jobs of other workflows (P5, P35): checked at start, over all workflows.
import { MOST_NESTED } from "../definition/child-job.ts";
import type { KnownAgents, Workflow, WorkflowStep } from "../definition/workflow.ts";

/** As text. A child starts with the newest version of its workflow. */
export function childFaults(workflows: readonly Workflow[], agents: KnownAgents): string[] {
  const submittedBy = ({ agent }: WorkflowStep) => agents.get(agent)?.submits;
  if ([...agents.values()].every(({ submits }) => submits === undefined)) return [];
  const newest = new Map<string, Workflow>();
  for (const workflow of workflows) {
    if (workflow.version >= (newest.get(workflow.name)?.version ?? 0)) newest.set(workflow.name, workflow);
  }
  const childrenOf = (name: string) => newest.get(name)?.steps.flatMap((step) => submittedBy(step) ?? []) ?? [];
  const steps = workflows.flatMap((workflow) =>
    workflow.steps.flatMap((step) => {
      const child = submittedBy(step);
      return child === undefined ? [] : stepFaults(workflow, step, newest.has(child) ? undefined : child);
    }),
  );
  const cycles = [...newest.keys()].flatMap((name) => cycleFrom([name], childrenOf) ?? []);
  const deepest = Math.max(...[...newest.keys()].map((name) => (cycles.length > 0 ? 0 : depthOf(name, childrenOf))));
  return [
    ...steps,
    ...new Set(cycles),
    ...(deepest > MOST_NESTED
      ? [`workflows: child jobs are nested ${deepest} deep: a job and those below it are at most ${MOST_NESTED}`]
      : []),
  ];
}

function stepFaults({ name, version }: Workflow, step: WorkflowStep, unknown: string | undefined): string[] {
  const at = `workflow ${name} v${version}, step ${step.name}`;
  const { awaitWithin, compensation } = step;
  const waits = "a child job is waited for, so it needs awaitWithin";
  return [
    ...(unknown === undefined ? [] : [`${at}: it submits a job of the workflow ${unknown}, and there is none`]),
    ...(awaitWithin === undefined ? [`${at}: ${waits}`] : []),
    ...(typeof compensation === "object" && compensation.awaitWithin === undefined
      ? [`${at}, compensation: ${waits}`]
      : []),
  ];
}

/** The first way back to its beginning, in words; of each cycle the same, wherever it begins. */
function cycleFrom(way: readonly string[], childrenOf: (name: string) => readonly string[]): string | undefined {
  for (const child of new Set(childrenOf(way.at(-1) ?? ""))) {
    if (child === way[0]) {
      const least = [...way].sort()[0] ?? "";
      const from = way.indexOf(least);
      const turned = [...way.slice(from), ...way.slice(0, from), least];
      return `workflow ${least}: it contains itself: ${turned.join(" submits ")}`;
    }
    const found = way.includes(child) ? undefined : cycleFrom([...way, child], childrenOf);
    if (found !== undefined) return found;
  }
  return undefined;
}

function depthOf(name: string, childrenOf: (name: string) => readonly string[]): number {
  return 1 + Math.max(0, ...childrenOf(name).map((child) => depthOf(child, childrenOf)));
}
