// What `explore` leaves out by default: it lets a process run on until it has to wait. Small workflows are explored with each interleaving too: they
// end in the same ways, and show the same steps, compensations and faults; and planted faults are found by both.

import { expect, test } from "vitest";
import { Coverage } from "../../src/model/coverage.ts";
import { exploreStates } from "../../src/model/explorer.ts";
import { Model } from "../../src/model/model.ts";
import { NOTHING_GOES_WRONG, type Setting } from "../../src/model/setting.ts";
import { CHAIN, FORK, LATER, LATER_BACK, OPTIONAL, QUEUE, UNDER_CONDITION, UNTIL_DEADLINE } from "./workflows.ts";

const MOST_STATES = 2_000_000;
const TIMEOUT_MS = 300_000;

function setting(name: string, workflow: Setting["workflow"], bounds: Partial<Setting["bounds"]>): Setting {
  return { name, workflow, hosts: ["east"], requests: [], bounds: { ...NOTHING_GOES_WRONG, ...bounds } };
}

async function explored(of: Setting, isCoarse: boolean) {
  const model = new Model({ ...of, isCoarse });
  const coverage = new Coverage(model);
  const options = { states: MOST_STATES, onState: (state: Parameters<Coverage["add"]>[0]) => coverage.add(state) };
  const { states, complete, ends, finding } = await exploreStates(model, options);
  return { states, finding, shown: { complete, ends, unseen: coverage.unseen() } };
}

test.each([
  setting("a chain; a rejection, two time-outs", CHAIN, { rejections: 1, timeouts: 2 }),
  setting("a fork; a rejection and a time-out", FORK, { rejections: 1, timeouts: 1 }),
  setting("an agent asked by its queue; a rejection and a time-out", QUEUE, { rejections: 1, timeouts: 1 }),
  setting("an optional step; a rejection and a time-out", OPTIONAL, { rejections: 1, timeouts: 1 }),
  setting("a step that a person reports", LATER, { rejections: 1, timeouts: 1 }),
  { ...setting("a step that is polled", LATER, { rejections: 1, timeouts: 1 }), polled: ["a"] },
  { ...setting("a compensation that is polled", LATER_BACK, { rejections: 1, timeouts: 1 }), polled: ["a"] },
  setting("a deadline; a time-out", UNTIL_DEADLINE, { deadlines: 1, timeouts: 1 }),
  setting("a condition; a death", UNDER_CONDITION, { deaths: 1 }),
])(
  "P20 $name: the same is seen with each interleaving",
  async (one) => {
    const [few, all] = [await explored(one, true), await explored(one, false)];
    expect(few.finding ?? all.finding).toBeUndefined();
    expect(few.shown.complete).toBe(true);
    expect(few.shown).toEqual(all.shown);
    expect(few.states).toBeLessThanOrEqual(all.states);
  },
  TIMEOUT_MS,
);

const late = setting("a key for each attempt", CHAIN, { timeouts: 1, lateness: 1 });
const stalled = setting("late replies are recorded", QUEUE, { stalls: 1 });
test.each([
  { ...late, mutant: { keyOf: (key: string, attempt: number) => `${key}#${attempt}` } },
  { ...late, name: "an agent goes on past complete-by", mutant: { ignoresCompleteBy: true } },
  { ...stalled, mutant: { acceptsLateReplies: true } },
] satisfies Setting[])(
  "P20 planted, $name: it is found with each interleaving, and without",
  async (planted) => {
    for (const isCoarse of [true, false]) expect((await explored(planted, isCoarse)).finding?.fault).toBeDefined();
  },
  TIMEOUT_MS,
);
