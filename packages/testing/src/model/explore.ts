// The model checker on an app's own workflow (P20): every state that one run of it can reach, with so much going wrong, or as many as the bounds allow.
import type { Business } from "@scheduler-agent-supervisor/core/app";
import { milliseconds } from "../services/scripted-service.ts";
import { type Unseen, unseenInWords } from "./coverage.ts";
import { exploreWorkflow, strangeConditions, strangePolls } from "./explore-workflow.ts";
import { type Bounds, REQUESTS } from "./setting.ts";

/** The faults during an exploration, and its limits. */
export interface ExploreOptions {
  /**
   * How often each fault may happen in one run. Faults that are not named never happen, but services do not answer in time twice (`timeouts`): that uses
   * up a step's attempts, of which there is a third where the policy has a wait. And the deadline of the job passes (`deadlines`), once unless an operator
   * resubmits it. One rejection by a service if absent.
   */
  readonly goesWrong?: Partial<Bounds>;
  /** How many items each list has: it is explored once for each number. 0, 1 and 2 if absent. */
  readonly items?: readonly number[];
  /** The values of the workflow's conditions, by name. Others are true. */
  readonly conditions?: { readonly [name: string]: boolean };
  /** The steps whose agents poll their service for what it does later. Those of others report it. */
  readonly polled?: readonly string[];
  /** The operator's possible actions; `goesWrong.actions` limits their number. */
  readonly operator?: readonly (keyof typeof REQUESTS)[];
  /** A service may accept a request that it has just rejected permanently, for example a service without idempotency keys. */
  readonly mayAcceptWhatItRejected?: boolean;
  /**
   * Also each sequence of the writes and messages of processes that work at the same time: many more states. Absent: a process runs on until it waits
   * for a service, a message or the clock, or until a fault befalls it. The core's own worlds explore what may come in between.
   */
  readonly everyInterleaving?: boolean;
  /** The maximum number of states, which limits the memory: about 1.5 KB each. 200,000 if absent. */
  readonly states?: number;
  /** The maximum duration, ISO 8601. One minute if absent. */
  readonly within?: string;
}

/** The result of an exploration. */
export interface Exploration {
  /** Every state was checked: no sequence of the given faults violates an invariant. */
  readonly complete: boolean;
  readonly states: number;
  /** The end states that were reached, such as `Processed` and `Compensated`. */
  readonly ends: readonly string[];
  /** What no state shows: it can't happen if the exploration is complete, and may if it was stopped. */
  readonly unseen: Unseen;
  /** What was explored up to a bound, as text: the items of lists. */
  readonly bounded: readonly string[];
  /** What this workflow has and the model has not, as text. */
  readonly notModelled: readonly string[];
  /** The violated invariant, and the shortest sequence of moves to it; undefined if none was found. */
  readonly violation: { readonly fault: string; readonly way: readonly string[] } | undefined;
  /** A summary as text. */
  readonly summary: string;
}

const MOST_STATES = 200_000;
const WITHIN = "PT1M";
/** A list without items, one run alone, and two in parallel. */
const USUAL_ITEMS = [0, 1, 2];

/**
 * Explores the newest version of a workflow. The structure is the app's: steps, predecessors, compensations, conditions, fallbacks, policies, queues,
 * lists, the deadline. The times, thresholds and services are the model's: two tries, one wait, and services that follow the contract of an agent.
 * `bounded` and `notModelled` name the differences.
 * @throws where the app has no such workflow, no such condition, or no such step to poll
 */
export async function explore(business: Business, name: string, options: ExploreOptions = {}): Promise<Exploration> {
  const { states: most = MOST_STATES, within = WITHIN, goesWrong = { rejections: 1 }, items = USUAL_ITEMS } = options;
  const {
    conditions = {},
    polled = [],
    operator = [],
    mayAcceptWhatItRejected = false,
    everyInterleaving = false,
  } = options;
  const endsAt = Date.now() + milliseconds(within);
  const workflow = business.loadWorkflows().newest(name);
  if (!workflow) throw new Error(`The app has no workflow ${name}: it has ${business.workflowNames.join(", ")}.`);
  const strange = strangeConditions(workflow, conditions);
  if (strange.length > 0) throw new Error(`The workflow has no condition ${strange.join(" or ")}.`);
  const unpolled = strangePolls(workflow, polled);
  if (unpolled.length > 0) throw new Error(`The workflow awaits no service's answer in ${unpolled.join(" or ")}.`);
  const found = await exploreWorkflow(workflow, {
    ...{ goesWrong, items, conditions, polled, mayAcceptWhatItRejected, everyInterleaving },
    requests: operator.map((request) => REQUESTS[request]),
    most,
    isOver: () => Date.now() > endsAt,
  });
  const { states, complete, ends, unseen, bounded, notModelled, finding } = found;
  const violation = finding && { fault: finding.fault, way: finding.trace };
  const report = { complete: complete && !violation, states, ends, unseen, bounded, notModelled, violation };
  return { ...report, summary: inWords(report, everyInterleaving) };
}

function inWords(report: Omit<Exploration, "summary">, isEachInterleaved: boolean): string {
  const { states, complete, ends, unseen, bounded, notModelled, violation } = report;
  const count = states.toLocaleString("en");
  if (violation) {
    const way = violation.way.map((move, index) => `${String(index + 1).padStart(4)}  ${move}`);
    return [`Found in ${count} states: ${violation.fault}. The way there:`, ...way].join("\n");
  }
  const missing = unseenInWords(unseen);
  return [
    complete
      ? `Explored ${count} states, to the end: nothing was found.`
      : `Stopped at the bound after ${count} states: nothing was found so far.`,
    `It ends ${ends.join(", ") || "nowhere that was seen"}.`,
    ...(missing === "" ? [] : [`${complete ? "Never reached" : "Not reached so far"}: ${missing}.`]),
    ...(bounded.length === 0 ? [] : [`Bounded: ${bounded.join("; ")}.`]),
    ...(notModelled.length === 0 ? [] : [`Not modelled: ${notModelled.join("; ")}.`]),
    ...(isEachInterleaved ? [] : ["Each process ran on until it had to wait: everyInterleaving explores the rest."]),
  ].join(" ");
}
