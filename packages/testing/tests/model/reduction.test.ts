// The reductions leave nothing out that is judged: shown on small worlds, which are explored with and without them.

import { type Direction, runOf, type StateRecord, type StepRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { Model } from "../../src/model/model.ts";
import type { Move } from "../../src/model/moves.ts";
import { HOSTS, type Host, NOTHING_GOES_WRONG, REQUESTS, type Setting } from "../../src/model/setting.ts";
import {
  BOUNDS,
  FIRST_PIECE,
  isSame,
  PROMISES,
  pieceOf,
  RECORD,
  SERVICE_STATE,
  type State,
} from "../../src/model/state.ts";
import { StateTable } from "../../src/model/state-table.ts";
import { PLANTED } from "./mutants.ts";
import { CHAIN, FORK, LATER, LATER_BACK, QUEUE, UNEQUAL, UNTIL_DEADLINE } from "./workflows.ts";

const ONE: readonly Host[] = ["east"];
const ALONE: Workflow = { ...CHAIN, steps: CHAIN.steps.slice(0, 1) };
const TIMEOUT_MS = 300_000;

function small(
  name: string,
  setting: Partial<Omit<Setting, "bounds">> & { bounds?: Partial<Setting["bounds"]> },
): Setting {
  const { bounds, ...rest } = setting;
  return { name, workflow: CHAIN, hosts: ONE, requests: [], ...rest, bounds: { ...NOTHING_GOES_WRONG, ...bounds } };
}

const SMALL: readonly Setting[] = [
  small("a chain; a death", { bounds: { deaths: 1 } }),
  small("a chain; an outage", { bounds: { outages: 1 } }),
  small("in one activity; a death", { goesOn: true, bounds: { deaths: 1 } }),
  small("a fork; a rejection", { workflow: FORK, bounds: { rejections: 1 } }),
  small("two hosts", { hosts: HOSTS }),
  small("queues; a repeat", { workflow: QUEUE, bounds: { repeats: 1 } }),
  small("queues; a late service", { workflow: QUEUE, bounds: { lateness: 1 } }),
  small("unequal times", { workflow: UNEQUAL }),
  small("a step done later", { workflow: LATER }),
  small("polls", { workflow: LATER, polled: ["a"] }),
  small("polls of a compensation", { workflow: LATER_BACK, polled: ["a"] }),
  small("a deadline", { workflow: UNTIL_DEADLINE, bounds: { deadlines: 1 } }),
  small("stale reads", { bounds: { staleReads: 2 } }),
  small("queues; stale reads", { workflow: QUEUE, bounds: { staleReads: 2 } }),
  small("an operator extends", {
    workflow: ALONE,
    bounds: { actions: 1, lateness: 1 },
    requests: [REQUESTS.extend],
  }),
  small("an operator", { bounds: { actions: 1 }, requests: [REQUESTS.compensation, REQUESTS.cancel] }),
];

/** All states that can be reached, each once, with what is said of it. */
async function reach(
  model: Model,
  visit: (state: State, moves: readonly Move[]) => void | Promise<void>,
  movesOf: (state: State) => readonly Move[] | Promise<readonly Move[]>,
) {
  const reached = new StateTable();
  const open = [reached.add(model.initial(), -1)];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const state = reached.get(at);
    const moves = await movesOf(state);
    await visit(state, moves);
    for (const { to } of moves) {
      const known = reached.size;
      if (reached.add(to, at) === known) open.push(known);
    }
  }
  return reached.size;
}

/** All moves from a state: looked for once, however often they are asked for. */
function movesOnce(model: Model): (state: State) => Promise<readonly Move[]> {
  const asked = new StateTable();
  const found: (readonly Move[])[] = [];
  return async (state) => {
    const at = asked.add(state, -1);
    found[at] ??= await model.moves(state);
    return found[at];
  };
}

/**
 * What is judged of a state, by nothing that the reductions are made of: where the job stands and each of its steps, the service's
 * effects, what the client is owed, and what may still go wrong. Attempts have no numbers here.
 */
function judgedOf(model: Model, state: State): string {
  const { values } = model.pieces;
  const record = state[RECORD] === 0 ? undefined : values.get<StateRecord>(state[RECORD] as number);
  const steps = Object.entries(record?.steps ?? {}).map(
    ([name, step]) => `${name} ${step.state} ${step.compensation?.state} ${budgetOf(step, record?.direction)}`,
  );
  const { owed } = values.get<{ owed: string[] }>(state[PROMISES] as number);
  return JSON.stringify([
    record && [record.processState, record.direction, record.error?.kind, record.dueAt],
    steps,
    record?.outbox.map(({ status, step }) => [status, step]),
    values.get(state[SERVICE_STATE] as number),
    owed.map((word) => word.replace(/:\d+/, "")),
    values.get(state[BOUNDS] as number),
  ]);
}

/** What it failed, where that may still count. */
function budgetOf(step: StepRecord, direction: Direction | undefined): number {
  const run = direction === undefined ? null : runOf(step, direction);
  return run === null || run.state === "Completed" || run.state === "Compensated" ? 0 : (run.failureCount ?? 0);
}

async function judgedStates(model: Model, few: boolean) {
  const judged = new Set<string>();
  const faults = new Set<string>();
  // It is judged by what stands before the pieces, which many states have in common.
  const looked = new StateTable();
  const size = await reach(
    model,
    (state, moves) => {
      const known = looked.size;
      if (looked.add(state.slice(0, FIRST_PIECE), -1) === known) judged.add(judgedOf(model, state));
      if (moves.length === 0) judged.add(`at rest: ${judgedOf(model, state)}`);
      for (const fault of [model.faultOf(state), ...moves.map((move) => move.fault)]) {
        if (fault !== undefined) faults.add(withoutNumbers(fault));
      }
    },
    (state) => model.movesAtOnce(state, few ? "few" : "all") ?? model.moves(state, few ? "few" : "all"),
  );
  return { judged, faults, size };
}

const numberless = new Map<string, string>();

function withoutNumbers(words: string): string {
  let known = numberless.get(words);
  if (known === undefined) {
    known = words.replaceAll(/attempt \d+|job-\d+/g, "attempt").replaceAll(/:\d+/g, "");
    numberless.set(words, known);
  }
  return known;
}

const sorted = (words: Iterable<string>) => [...words].sort();

/** Before the stall nothing goes first, so that only the normal forms are asked. */
const STALLED = small("one step; a stall", { workflow: ALONE, bounds: { stalls: 1 } });

test.each([...SMALL, STALLED])(
  "P20 with and without reduction the same is judged: $name",
  async (setting) => {
    const [plain, reduced] = [new Model({ ...setting, isUnreduced: true }), new Model(setting)];
    const [all, few] = [await judgedStates(plain, false), await judgedStates(reduced, true)];
    expect([...few.judged].filter((one) => !all.judged.has(one))).toEqual([]);
    expect([...all.judged].filter((one) => !few.judged.has(one))).toEqual([]);
    expect([[...all.faults], [...few.faults]]).toEqual([[], []]);
    expect(few.size).toBeLessThan(all.size);
    console.log(`${setting.name}: ${all.size} states, reduced ${few.size}, ${all.judged.size} judged`);
  },
  TIMEOUT_MS,
);

/** The planted faults in whose worlds all can be reached without reduction. */
const PLANTED_SMALL = PLANTED.filter(({ setting: { name } }) =>
  ["without its sibling-guard", "in two writes", "another key"].some((words) => name.includes(words)),
).filter(({ setting }) => setting.bounds.outages === 0);

test.each(PLANTED_SMALL)(
  "P20 with and without reduction a planted fault leads to the same: $setting.name",
  async ({ setting }) => {
    const all = await judgedStates(new Model({ ...setting, isUnreduced: true }), false);
    const few = await judgedStates(new Model(setting), true);
    expect(sorted(few.faults)).toEqual(sorted(all.faults));
    expect(all.faults.size).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

/** Of a piece that is said to be independent: whatever else happens first, its moves are still there, and lead to the same. */
async function firstDependence(
  model: Model,
  state: State,
  movesOf: (state: State) => Promise<readonly Move[]>,
): Promise<string | undefined> {
  const moves = await movesOf(state);
  for (const placed of new Set(state.slice(FIRST_PIECE))) {
    if (!model.isIndependent(state, placed)) continue;
    const own = await model.movesOf(state, placed);
    const others = moves.filter(({ to, what }) => !own.some((move) => move.what === what && isSame(move.to, to)));
    for (const other of others) {
      const between = await movesOf(other.to);
      for (const move of own) {
        const here = `${move.what} || ${other.what}`;
        const after = between.filter(({ what }) => withoutNumbers(what) === withoutNumbers(move.what));
        const around = (await movesOf(move.to)).filter(
          ({ what }) => withoutNumbers(what) === withoutNumbers(other.what),
        );
        // What is spent by the one may not be left for the other.
        if (after.length === 0 && isSpending(model, state, move, other)) continue;
        const pair = after.flatMap((one) =>
          around.filter((two) => isSame(one.to, two.to)).map((two) => [one, two] as const),
        )[0];
        if (!pair) return `${here}: they do not commute`;
        if (pair[0].fault !== move.fault || pair[1].fault !== other.fault) return `${here}: what is judged differs`;
      }
      const stays = [...new Set(other.to.slice(FIRST_PIECE))].some((piece) => {
        const operation = model.pieces.get(pieceOf(piece));
        const before = model.pieces.get(pieceOf(placed));
        const isSame = operation.kind === "operation" && before.kind === "operation" && operation.name === before.name;
        return isSame && model.isIndependent(other.to, piece);
      });
      if (!stays) return `${own[0]?.what} is not independent any more after ${other.what}`;
    }
  }
  return undefined;
}

function isSpending(model: Model, state: State, move: Move, other: Move): boolean {
  const { values } = model.pieces;
  const left = (at: State) => JSON.stringify(values.get(at[BOUNDS] as number));
  return left(move.to) !== left(state) && left(other.to) !== left(state);
}

test.each(SMALL)(
  "P20 what goes first is independent of all else, in every state: $name",
  async (setting) => {
    const model = new Model(setting);
    const found = new Set<string>();
    const movesOf = movesOnce(model);
    let asked = 0;
    await reach(
      model,
      async (state) => {
        asked += 1;
        const dependence = await firstDependence(model, state, movesOf);
        if (dependence) found.add(dependence);
      },
      movesOf,
    );
    expect(sorted(found)).toEqual([]);
    expect(asked).toBeGreaterThan(100);
  },
  TIMEOUT_MS,
);
