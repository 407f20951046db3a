// One workflow explored: once for each number of items that its lists have.
import type { OperatorRequest } from "@scheduler-agent-supervisor/core/messaging";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { Coverage, type Unseen } from "./coverage.ts";
import { exploreStates, type Finding } from "./explorer.ts";
import { Model } from "./model.ts";
import { conditionsOf, isDoneLater, listedBy, modelled, notModelledIn, rulesOf } from "./modelled.ts";
import { type Bounds, NOTHING_GOES_WRONG, type Setting } from "./setting.ts";

interface ExploreInput {
  readonly goesWrong: Partial<Bounds>;
  readonly items: readonly number[];
  readonly conditions: { readonly [name: string]: boolean };
  readonly polled: readonly string[];
  readonly requests: readonly OperatorRequest[];
  readonly mayAcceptWhatItRejected: boolean;
  readonly everyInterleaving: boolean;
  /** The most states. */
  readonly most: number;
  readonly isOver: () => boolean;
}

export interface Explored {
  readonly states: number;
  readonly complete: boolean;
  readonly ends: readonly string[];
  readonly unseen: Unseen;
  readonly bounded: readonly string[];
  readonly notModelled: readonly string[];
  readonly finding: Finding | undefined;
}

const USUAL_TIMEOUTS = 2;
const ONE_DEADLINE = { deadlines: 1 } as const;

/** Names that are no steps whose service does them later. */
export function strangePolls({ steps }: Workflow, polled: readonly string[]): string[] {
  return polled.filter((name) => !steps.some((step) => step.name === name && isDoneLater(step)));
}

/** Conditions that the workflow has not. */
export function strangeConditions(workflow: Workflow, conditions: ExploreInput["conditions"]): string[] {
  const known = conditionsOf(workflow);
  return Object.keys(conditions).filter((condition) => !known.includes(condition));
}

export async function exploreWorkflow(workflow: Workflow, input: ExploreInput): Promise<Explored> {
  let left = input.most;
  const parts: Part[] = [];
  const lists = workflow.steps.flatMap((step) => (step.forEach === undefined ? [] : [step.name]));
  const counts = lists.length > 0 ? input.items : [0];
  for (const items of counts) {
    const part = await exploreWith(items, workflow, { ...input, most: left });
    const { finding } = part;
    const inItems = lists.length > 0 && finding ? `${finding.fault} (lists of ${items} items)` : finding?.fault;
    parts.push({ ...part, finding: finding && { ...finding, fault: inItems ?? finding.fault } });
    left -= part.states;
    if (finding) break;
  }
  return {
    ...merged(parts),
    states: input.most - left,
    complete: parts.length === counts.length && parts.every(({ complete }) => complete),
    bounded: lists.length > 0 ? [`each list has ${input.items.join(" or ")} items: ${lists.join(", ")}`] : [],
    notModelled: notModelledIn(workflow, input.polled),
    finding: parts.find(({ finding }) => finding)?.finding,
  };
}

type Part = Pick<Explored, "states" | "complete" | "ends" | "unseen" | "finding">;

async function exploreWith(items: number, workflow: Workflow, input: ExploreInput) {
  const model = new Model(settingOf(workflow, items, input));
  const coverage = new Coverage(model);
  const report = await exploreStates(model, {
    states: input.most,
    isOver: input.isOver,
    onState: (state) => coverage.add(state),
  });
  const { states, complete, ends, finding } = report;
  return { states, complete, ends, finding, unseen: coverage.unseen() } satisfies Part;
}

function settingOf(workflow: Workflow, items: number, input: ExploreInput): Setting {
  const { goesWrong, conditions, polled, requests, mayAcceptWhatItRejected, everyInterleaving } = input;
  return {
    name: workflow.name,
    workflow: modelled(workflow),
    rules: rulesOf(workflow, conditions, items),
    listed: listedBy(workflow, items),
    polled,
    hosts: ["east"],
    bounds: { ...NOTHING_GOES_WRONG, timeouts: USUAL_TIMEOUTS, ...(workflow.deadline && ONE_DEADLINE), ...goesWrong },
    requests,
    isFickle: mayAcceptWhatItRejected,
    isCoarse: !everyInterleaving,
  };
}

/** What none of the parts has shown was not seen. */
function merged(parts: readonly Part[]): Pick<Explored, "ends" | "unseen"> {
  const inEach = (of: (unseen: Unseen) => readonly string[]) =>
    parts
      .map(({ unseen }) => of(unseen))
      .reduce((one, other) => one.filter((name) => other.includes(name)), of(parts[0]?.unseen ?? NONE));
  return {
    ends: [...new Set(parts.flatMap(({ ends }) => ends))].sort(),
    unseen: {
      ends: inEach(({ ends }) => ends),
      steps: inEach(({ steps }) => steps),
      compensations: inEach(({ compensations }) => compensations),
      faults: inEach(({ faults }) => faults),
    },
  };
}

const NONE: Unseen = { ends: [], steps: [], compensations: [], faults: [] };
