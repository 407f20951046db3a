// The small worlds that are explored to their last state, and the faults that are known to show in them.
import { type Bounds, HOSTS, type Host, NOTHING_GOES_WRONG, REQUESTS, type Setting } from "../../src/model/setting.ts";
import {
  BRANCH,
  CHAIN,
  CHAIN_LEFT,
  EXHAUSTED,
  EXHAUSTED_SOON,
  FORK,
  FORK_LEFT,
  JOIN,
  LATER,
  LATER_BACK,
  LATER_FORK,
  LISTED,
  LONG_CHAIN,
  OPTIONAL,
  QUEUE,
  SIX,
  SIX_ABREAST,
  SKIPPED,
  SPARE,
  UNDER_CONDITION,
  UNEQUAL,
  UNTIL_DEADLINE,
} from "./workflows.ts";

const ONE: readonly Host[] = ["east"];

/** An attempt continues as new whenever it may. */
const WHENEVER = -1e6;

function world(
  name: string,
  workflow: Setting["workflow"],
  hosts: readonly Host[],
  bounds: Partial<Bounds>,
  more: Partial<Setting> = {},
): Setting {
  return { name, workflow, hosts, bounds: { ...NOTHING_GOES_WRONG, ...bounds }, requests: [], ...more };
}

/** An activity goes on to the next step. In the other worlds its time for that is always over. */
const IN_ONE: Partial<Setting> = { goesOn: true };

/** Whoever does a step later is polled for it. */
const POLLED: Partial<Setting> = { polled: ["a"] };

/** What the condition says, and what it says to whoever runs the same activity again. */
function conditions(holds: boolean, later?: boolean): Partial<Setting> {
  const saying = (answer: boolean) => ({ conditions: { wanted: () => answer }, lists: {} });
  return { rules: saying(holds), ...(later !== undefined && { laterRules: saying(later) }) };
}

/** Each is explored to its last state. These are explored in every run of the tests. */
export const WORLDS: readonly Setting[] = [
  world("a stall", CHAIN, ONE, { stalls: 1 }),
  world("a join; a rejection", JOIN, ONE, { rejections: 1 }),
  world(
    "a fork; a rejection, and an operator",
    FORK,
    ONE,
    { rejections: 1, actions: 1 },
    { requests: [REQUESTS.resubmit, REQUESTS.fromTheStart] },
  ),
  world("in one activity; a death and a rejection", CHAIN, ONE, { deaths: 1, rejections: 1 }, IN_ONE),
  world("in one activity; a death", LONG_CHAIN, ONE, { deaths: 1 }, IN_ONE),
  world("in one activity; a repeat", LONG_CHAIN, ONE, { repeats: 1 }, IN_ONE),
  world("two hosts; a repeat", CHAIN, HOSTS, { repeats: 1 }),
  world("a fork; a death and a rejection", FORK, ONE, { deaths: 1, rejections: 1 }),
  world("branches", BRANCH, ONE, {}),
  world("branches; a death", BRANCH, ONE, { deaths: 1 }),
  world("a fork; an operator", FORK, ONE, { actions: 1 }, { requests: [REQUESTS.resubmit, REQUESTS.compensation] }),
  world(
    "an operator on a job that waits",
    CHAIN,
    ONE,
    { actions: 1 },
    { requests: [REQUESTS.resubmit, REQUESTS.compensation, REQUESTS.cancel] },
  ),
  world(
    "a compensation that may be exhausted; an operator resubmits it",
    EXHAUSTED,
    ONE,
    { rejections: 1, actions: 1 },
    { requests: [REQUESTS.resubmit, REQUESTS.forward, REQUESTS.fromTheStart] },
  ),
  world("an outage and two deaths", CHAIN, ONE, { outages: 1, deaths: 2 }),
  world("queues; a death", QUEUE, ONE, { deaths: 1 }),
  world("queues; a repeat", QUEUE, ONE, { repeats: 1 }),
  world("queues; a rejection and a late service", QUEUE, ONE, { rejections: 1, lateness: 1 }),
  world("queues, two hosts", QUEUE, HOSTS, {}),
  world("queues; nobody takes a step up", QUEUE, ONE, {}, { idle: ["b"] }),
  world("a fork; nobody takes a step up; a death", FORK, ONE, { deaths: 1 }, { idle: ["a"] }),
  world("queues; agents that are taken for absent", QUEUE, ONE, {}, { idle: [] }),
  world("steps with unequal times; a late service", UNEQUAL, ONE, { lateness: 1 }),
  world(
    "an operator extends; a late service",
    CHAIN,
    ONE,
    { actions: 1, lateness: 1 },
    { requests: [REQUESTS.extend] },
  ),
  world("a step done later", LATER, ONE, { progress: 1 }),
  world("a step done later; a forged report", LATER, ONE, { forgeries: 1 }),
  world("a step done later; a death", LATER, ONE, { deaths: 1 }),
  world("a step done later; a late report", LATER, ONE, { lateness: 1 }),
  world("a step done later; a repeat", LATER, ONE, { repeats: 1 }),
  world("a step done later; a rejection", LATER, ONE, { rejections: 1 }),
  world("a step done later beside another", LATER_FORK, ONE, {}),
  world("polls", LATER, ONE, {}, POLLED),
  world("polls; a death", LATER, ONE, { deaths: 1 }, POLLED),
  world("polls; a repeat", LATER, ONE, { repeats: 1 }, POLLED),
  world("polls; a rejection", LATER, ONE, { rejections: 1 }, POLLED),
  world("polls; a late service", LATER, ONE, { lateness: 1 }, POLLED),
  world("polls; stale reads", LATER, ONE, { staleReads: 2 }, POLLED),
  world("polls of a compensation; a death", LATER_BACK, ONE, { deaths: 1 }, POLLED),
  world("polls of a compensation; a rejection", LATER_BACK, ONE, { rejections: 1 }, POLLED),
  world("a deadline; a late service", UNTIL_DEADLINE, ONE, { deadlines: 1, lateness: 1 }),
  world("a deadline; a death", UNTIL_DEADLINE, ONE, { deadlines: 1, deaths: 1 }),
  world("continues as new; a step done later; a death", LATER, ONE, { deaths: 1 }, { historyBytes: WHENEVER }),
  world("optional steps; a late service", OPTIONAL, ONE, { lateness: 1 }),
  world("optional steps; a death", OPTIONAL, ONE, { deaths: 1 }),
  world("a step with a spare; two rejections", SPARE, ONE, { rejections: 2 }),
  world("a step with a spare; a late service and a death", SPARE, ONE, { lateness: 1, deaths: 1 }),
  world("runs for a list of a result; a death", LISTED, ONE, { deaths: 1 }),
  world("runs for a list of a result; a rejection", LISTED, ONE, { rejections: 1 }),
  ...(["atMostOnce", "find"] as const).flatMap((withoutKeys) => [
    world(`${withoutKeys}; a death`, CHAIN, ONE, { deaths: 1 }, { withoutKeys }),
    world(`${withoutKeys}; a repeat`, CHAIN, ONE, { repeats: 1 }, { withoutKeys }),
    world(`${withoutKeys}; in one activity; a death`, CHAIN, ONE, { deaths: 1 }, { withoutKeys, ...IN_ONE }),
    world(`${withoutKeys}; a queue; a death`, QUEUE, ONE, { deaths: 1 }, { withoutKeys }),
    world(`${withoutKeys}; a queue; a repeat`, QUEUE, ONE, { repeats: 1 }, { withoutKeys }),
    world(
      `${withoutKeys}; a fork; a rejection, and an operator`,
      FORK_LEFT,
      ONE,
      { rejections: 1, actions: 1 },
      { withoutKeys, requests: [REQUESTS.resubmit] },
    ),
    world(`${withoutKeys}; a step done later; a death`, LATER, ONE, { deaths: 1 }, { withoutKeys }),
  ]),
  world(
    "atMostOnce; an operator records what was done",
    CHAIN_LEFT,
    ONE,
    { actions: 1 },
    { withoutKeys: "atMostOnce", requests: [REQUESTS.wasDone, REQUESTS.wasNotDone, REQUESTS.resubmit] },
  ),
  world(
    "atMostOnce; an operator records what was compensated",
    CHAIN,
    ONE,
    { rejections: 1, actions: 1 },
    { withoutKeys: "atMostOnce", requests: [REQUESTS.wasDone, REQUESTS.wasNotDone] },
  ),
  world("the compensation of a skipped step; a late service and a death", SKIPPED, ONE, { lateness: 1, deaths: 1 }),
  world("stale reads", CHAIN, ONE, { staleReads: 2 }),
  world("stale reads; two hosts", CHAIN, HOSTS, { staleReads: 2 }),
  world("stale reads; a fork", FORK, ONE, { staleReads: 2 }),
  world("stale reads; a fork; a rejection", FORK, ONE, { staleReads: 2, rejections: 1 }),
  world("stale reads; queues", QUEUE, ONE, { staleReads: 2 }),
  world("stale reads; a step done later", LATER, ONE, { staleReads: 2 }),
  world("stale reads; atMostOnce; queues", QUEUE, ONE, { staleReads: 2 }, { withoutKeys: "atMostOnce" }),
  world("stale reads; atMostOnce; a fork", FORK, ONE, { staleReads: 2 }, { withoutKeys: "atMostOnce" }),
  world("a condition; a rejection", UNDER_CONDITION, ONE, { rejections: 1 }, conditions(true)),
  world("a condition that changes; a death", UNDER_CONDITION, ONE, { deaths: 1 }, conditions(true, false)),
  world("a condition that changes; a repeat", UNDER_CONDITION, ONE, { repeats: 1 }, conditions(true, false)),
  world("a condition that begins to hold; a repeat", UNDER_CONDITION, ONE, { repeats: 1 }, conditions(false, true)),
  world(
    "a condition that changes; a death, stale reads",
    UNDER_CONDITION,
    ONE,
    { deaths: 1, staleReads: 2 },
    conditions(true, false),
  ),
  world("a condition that does not hold; a rejection", UNDER_CONDITION, ONE, { rejections: 1 }, conditions(false)),
  world("six steps, two hosts", SIX, HOSTS, {}),
  world("six steps, some side by side; a death", SIX_ABREAST, ONE, { deaths: 1 }),
];

/** These take some minutes: `MODEL_WORLDS=all`. */
export const MORE_WORLDS: readonly Setting[] = [
  world("branches; a rejection", BRANCH, ONE, { rejections: 1 }),
  world("steps with unequal times; a rejection", UNEQUAL, ONE, { rejections: 1 }),
  world("optional steps; a rejection", OPTIONAL, ONE, { rejections: 1 }),
  world("six steps; a death and a rejection", SIX, ONE, { deaths: 1, rejections: 1 }),
  world("stale reads; a step with a spare", SPARE, ONE, { staleReads: 2, lateness: 1 }),
  world("queues; agents that are taken for absent; a death", QUEUE, ONE, { deaths: 1 }, { idle: [] }),
  world(
    "a compensation that may be exhausted; an operator resubmits it forward, and cancels",
    EXHAUSTED_SOON,
    ONE,
    { actions: 2 },
    { requests: [REQUESTS.forward, REQUESTS.cancel] },
  ),
  world(
    "a compensation that may be exhausted; an operator resubmits it, and a death",
    EXHAUSTED,
    ONE,
    { actions: 1, deaths: 1 },
    { requests: [REQUESTS.resubmit, REQUESTS.forward] },
  ),
  world("in one activity, two hosts; a repeat", CHAIN, HOSTS, { repeats: 1 }, IN_ONE),
  world("in one activity; a death and a repeat", LONG_CHAIN, ONE, { deaths: 1, repeats: 1 }, IN_ONE),
  world("in one activity; a stall and a death", CHAIN, ONE, { stalls: 1, deaths: 1 }, IN_ONE),
  world("in one activity; an outage and a rejection", CHAIN, ONE, { outages: 1, rejections: 1 }, IN_ONE),
  world(
    "in one activity; an operator, and a late service",
    CHAIN,
    ONE,
    { actions: 1, lateness: 1 },
    { requests: Object.values(REQUESTS), ...IN_ONE },
  ),
  world("a step done later; a repeat and a rejection", LATER, ONE, { repeats: 1, rejections: 1 }),
  world("optional steps; a rejection and a late service", OPTIONAL, ONE, { rejections: 1, lateness: 1 }),
  world("a stall and a death", CHAIN, ONE, { stalls: 1, deaths: 1 }),
  world("a fork; a death and a late service", FORK, ONE, { deaths: 1, lateness: 1 }),
  world("queues; a death and a repeat", QUEUE, ONE, { deaths: 1, repeats: 1 }),
  world("queues, two hosts; a rejection and a late service", QUEUE, HOSTS, { rejections: 1, lateness: 1 }),
  world("steps with unequal times; a death", UNEQUAL, ONE, { deaths: 1 }),
  world(
    "queues; an operator extends; a late service",
    QUEUE,
    ONE,
    { actions: 1, lateness: 1 },
    { requests: [REQUESTS.extend] },
  ),
  world("steps with unequal times; a death and a rejection", UNEQUAL, ONE, { deaths: 1, rejections: 1 }),
  world("two hosts; late services", CHAIN, HOSTS, { lateness: 2 }),
  world("two hosts; a death and a repeat", CHAIN, HOSTS, { deaths: 1, repeats: 1 }),
  world("two hosts; two deaths", CHAIN, HOSTS, { deaths: 2 }),
  world("two hosts, a join; a death", JOIN, HOSTS, { deaths: 1 }),
  world("two hosts, a fork; an outage", FORK, HOSTS, { outages: 1 }),
  world("a fork; a rejection and a stall", FORK, ONE, { rejections: 1, stalls: 1 }),
  world(
    "an operator, and a death",
    CHAIN,
    ONE,
    { actions: 1, deaths: 1 },
    {
      requests: Object.values(REQUESTS),
    },
  ),
  world(
    "an operator, and a rejection",
    CHAIN,
    ONE,
    { actions: 1, rejections: 1 },
    { requests: Object.values(REQUESTS) },
  ),
  world("an operator, twice", CHAIN, ONE, { actions: 2 }, { requests: [REQUESTS.resubmit, REQUESTS.compensation] }),
  world(
    "a fork; an operator cancels, and asks again",
    FORK,
    ONE,
    { actions: 2 },
    { requests: [REQUESTS.cancel, REQUESTS.compensation] },
  ),
  world("queues; an outage and a repeat", QUEUE, ONE, { outages: 1, repeats: 1 }),
];

/** The smallest world for each fault that is known and not fixed. */
export const KNOWN: readonly { readonly world: Setting; readonly words: string }[] = [
  {
    words: "attempt 1 calls the service for a while attempt 3 holds the job",
    world: world(
      "an operator resubmits a compensated job, after a rejection and a death",
      CHAIN,
      ONE,
      { rejections: 1, deaths: 1, actions: 1 },
      { requests: [REQUESTS.resubmit] },
    ),
  },
  {
    words: "the effects of a are left",
    world: world(
      "a service that accepts what it rejected",
      CHAIN,
      ONE,
      { rejections: 1, repeats: 1 },
      { isFickle: true },
    ),
  },
];
