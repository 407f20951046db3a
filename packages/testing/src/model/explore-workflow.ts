// One workflow explored: its children alone first, then itself, once for each number of items that its lists have.
import type { Business } from "@scheduler-agent-supervisor/core/app";
import type { Workflow } from "@scheduler-agent-supervisor/core/domain";
import type { OperatorRequest } from "@scheduler-agent-supervisor/core/messaging";
import { ANY_END, ChildEndsSeen, endsInWords, submittingSteps } from "./children.ts";
import { explore, type Finding } from "./explorer.ts";
import { Model } from "./model.ts";
import { conditionsOf, isDoneLater, listedBy, modelled, notModelledIn, rulesOf } from "./modelled.ts";
import { Seen, type Unseen } from "./seen.ts";
import { type Bounds, type ChildEnds, COMPENSATE, NOTHING_GOES_WRONG, type Setting, TAKE_BACK } from "./setting.ts";

export interface Asked {
  readonly goesWrong: Partial<Bounds>;
  readonly items: readonly number[];
  readonly conditions: { readonly [name: string]: boolean };
  readonly polled: readonly string[];
  readonly requests: readonly OperatorRequest[];
  readonly mayAcceptWhatItRejected: boolean;
  readonly everyInterleaving: boolean;
  /** The most states, those of children included. */
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
  /** As its parent's step sees it. */
  readonly childEnds: ChildEnds;
}

const USUAL_TIMEOUTS = 2;
const ONE_DEADLINE = { deadlines: 1 } as const;

/** Names that are no steps, of it or a child of it, whose service does them later. A child job is none. */
export function strangePolls(name: string, business: Business, polled: readonly string[]): string[] {
  const known = within(name, business).flatMap((workflow) => {
    const submitting = new Map(submittingSteps(workflow, business));
    return workflow.steps.filter((step) => isDoneLater(step) && !submitting.has(step.name));
  });
  return polled.filter((step) => !known.some((one) => one.name === step));
}

/** Conditions that neither the workflow nor a child of it has. */
export function strangeConditions(name: string, business: Business, conditions: Asked["conditions"]): string[] {
  const known = new Set(within(name, business).flatMap(conditionsOf));
  return Object.keys(conditions).filter((condition) => !known.has(condition));
}

/** It and the workflows of its child jobs. No workflow contains itself. */
function within(name: string, business: Business): readonly Workflow[] {
  const workflow = business.loadWorkflows().newest(name);
  if (!workflow) return [];
  return [workflow, ...submittingSteps(workflow, business).flatMap(([, child]) => within(child, business))];
}

export async function exploreWorkflow(name: string, business: Business, asked: Asked): Promise<Explored> {
  const workflow = business.loadWorkflows().newest(name);
  if (!workflow) throw new Error(`The app has no workflow ${name}.`);
  const ofChildren = await exploreChildren(workflow, business, asked);
  let left = asked.most - ofChildren.states;
  const parts: Part[] = [];
  const lists = workflow.steps.flatMap((step) => (step.forEach === undefined ? [] : [step.name]));
  for (const items of ofChildren.finding ? [] : lists.length > 0 ? asked.items : [0]) {
    const part = await exploreWith(items, workflow, { ...asked, most: left }, ofChildren.children);
    const { finding } = part;
    const inItems = lists.length > 0 && finding ? `${finding.fault} (lists of ${items} items)` : finding?.fault;
    parts.push({ ...part, finding: finding && { ...finding, fault: inItems ?? finding.fault } });
    left -= part.states;
    if (finding) break;
  }
  const isEach = ofChildren.complete && parts.length === (lists.length > 0 ? asked.items.length : 1);
  return {
    ...merged(parts),
    states: asked.most - left,
    complete: isEach && parts.every(({ complete }) => complete),
    bounded: [
      ...(lists.length > 0 ? [`each list has ${asked.items.join(" or ")} items: ${lists.join(", ")}`] : []),
      ...ofChildren.bounded,
    ],
    notModelled: [
      ...notModelledIn(workflow, [...asked.polled, ...Object.keys(ofChildren.children)]),
      ...ofChildren.notModelled,
    ],
    finding: ofChildren.finding ?? parts.find(({ finding }) => finding)?.finding,
  };
}

interface Children extends Pick<Explored, "states" | "complete" | "bounded" | "notModelled" | "finding"> {
  readonly children: { readonly [step: string]: ChildEnds };
}

async function exploreChildren(workflow: Workflow, business: Business, asked: Asked): Promise<Children> {
  const explored = new Map<string, Explored>();
  const children: { [step: string]: ChildEnds } = {};
  const bounded: string[] = [];
  let states = 0;
  for (const [step, name] of submittingSteps(workflow, business)) {
    // Its parent cancels it, or has it compensated once it has ended.
    const goesWrong = { ...asked.goesWrong, actions: 1 };
    const most = asked.most - states;
    const found =
      explored.get(name) ??
      (await exploreWorkflow(name, business, { ...asked, goesWrong, most, requests: [TAKE_BACK, COMPENSATE] }));
    if (!explored.has(name)) states += found.states;
    explored.set(name, found);
    const ends = found.complete ? found.childEnds : ANY_END;
    children[step] = ends;
    const how = found.complete ? "explored alone" : "not explored to the end, so each end is taken for possible";
    bounded.push(`the child of ${step} is one step, ${name} ${how}: it ends ${endsInWords(ends)}`);
    if (found.finding) {
      const fault = `in the child of ${step}, ${name}: ${found.finding.fault}`;
      return {
        states,
        complete: false,
        bounded,
        notModelled: missingOf(explored),
        children,
        finding: { ...found.finding, fault },
      };
    }
  }
  const complete = [...explored.values()].every((found) => found.complete);
  return { states, complete, bounded, notModelled: missingOf(explored), children, finding: undefined };
}

/** Each workflow's, with its name. */
const missingOf = (explored: ReadonlyMap<string, Explored>) =>
  [...explored].flatMap(([name, { notModelled }]) => notModelled.map((one) => `in the child ${name}: ${one}`));

type Part = Pick<Explored, "states" | "complete" | "ends" | "unseen" | "finding" | "childEnds">;

async function exploreWith(items: number, workflow: Workflow, asked: Asked, children: Children["children"]) {
  const model = new Model(settingOf(workflow, items, asked, children));
  const [seen, childEnds] = [new Seen(model), new ChildEndsSeen()];
  const report = await explore(model, {
    states: asked.most,
    isOver: asked.isOver,
    onState: (state) => {
      seen.add(state);
      childEnds.add(state, model);
    },
  });
  const { states, complete, ends, finding } = report;
  return { states, complete, ends, finding, unseen: seen.unseen(), childEnds: childEnds.ends } satisfies Part;
}

function settingOf(workflow: Workflow, items: number, asked: Asked, children: Children["children"]): Setting {
  const { goesWrong, conditions, polled, requests, mayAcceptWhatItRejected, everyInterleaving } = asked;
  return {
    name: workflow.name,
    workflow: modelled(workflow),
    rules: rulesOf(workflow, conditions, items),
    listed: listedBy(workflow, items),
    ...{ children, polled },
    hosts: ["east"],
    bounds: { ...NOTHING_GOES_WRONG, timeouts: USUAL_TIMEOUTS, ...(workflow.deadline && ONE_DEADLINE), ...goesWrong },
    requests,
    isFickle: mayAcceptWhatItRejected,
    isCoarse: !everyInterleaving,
  };
}

/** What none of the parts has shown was not seen. */
function merged(parts: readonly Part[]): Pick<Explored, "ends" | "unseen" | "childEnds"> {
  const inEach = (of: (unseen: Unseen) => readonly string[]) =>
    parts
      .map(({ unseen }) => of(unseen))
      .reduce((one, other) => one.filter((name) => other.includes(name)), of(parts[0]?.unseen ?? NONE));
  const any = (of: keyof ChildEnds) => parts.some(({ childEnds }) => childEnds[of]);
  return {
    ends: [...new Set(parts.flatMap(({ ends }) => ends))].sort(),
    unseen: {
      ends: inEach(({ ends }) => ends),
      steps: inEach(({ steps }) => steps),
      compensations: inEach(({ compensations }) => compensations),
      faults: inEach(({ faults }) => faults),
    },
    childEnds: {
      processed: any("processed"),
      takenBack: any("takenBack"),
      error: any("error"),
      mayStay: any("mayStay"),
    },
  };
}

const NONE: Unseen = { ends: [], steps: [], compensations: [], faults: [] };
