// One workflow explored: once for each number of items that its lists have.
import type { Workflow } from "@scheduler-agent-supervisor/core/domain";
import type { OperatorRequest } from "@scheduler-agent-supervisor/core/messaging";
import { explore, type Finding } from "./explorer.ts";
import { Model } from "./model.ts";
import { conditionsOf, isDoneLater, listedBy, modelled, notModelledIn, rulesOf } from "./modelled.ts";
import { Seen, type Unseen } from "./seen.ts";
import { type Bounds, NOTHING_GOES_WRONG, type Setting } from "./setting.ts";

export interface Asked {
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
export function strangeConditions(workflow: Workflow, conditions: Asked["conditions"]): string[] {
  const known = conditionsOf(workflow);
  return Object.keys(conditions).filter((condition) => !known.includes(condition));
}

export async function exploreWorkflow(workflow: Workflow, asked: Asked): Promise<Explored> {
  let left = asked.most;
  const parts: Part[] = [];
  const lists = workflow.steps.flatMap((step) => (step.forEach === undefined ? [] : [step.name]));
  const counts = lists.length > 0 ? asked.items : [0];
  for (const items of counts) {
    const part = await exploreWith(items, workflow, { ...asked, most: left });
    const { finding } = part;
    const inItems = lists.length > 0 && finding ? `${finding.fault} (lists of ${items} items)` : finding?.fault;
    parts.push({ ...part, finding: finding && { ...finding, fault: inItems ?? finding.fault } });
    left -= part.states;
    if (finding) break;
  }
  return {
    ...merged(parts),
    states: asked.most - left,
    complete: parts.length === counts.length && parts.every(({ complete }) => complete),
    bounded: lists.length > 0 ? [`each list has ${asked.items.join(" or ")} items: ${lists.join(", ")}`] : [],
    notModelled: notModelledIn(workflow, asked.polled),
    finding: parts.find(({ finding }) => finding)?.finding,
  };
}

type Part = Pick<Explored, "states" | "complete" | "ends" | "unseen" | "finding">;

async function exploreWith(items: number, workflow: Workflow, asked: Asked) {
  const model = new Model(settingOf(workflow, items, asked));
  const seen = new Seen(model);
  const report = await explore(model, {
    states: asked.most,
    isOver: asked.isOver,
    onState: (state) => seen.add(state),
  });
  const { states, complete, ends, finding } = report;
  return { states, complete, ends, finding, unseen: seen.unseen() } satisfies Part;
}

function settingOf(workflow: Workflow, items: number, asked: Asked): Setting {
  const { goesWrong, conditions, polled, requests, mayAcceptWhatItRejected, everyInterleaving } = asked;
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
