// Breadth first through every state that can be reached, each once; the way back from any of them is kept.
import type { Model } from "./model.ts";
import type { Move } from "./moves.ts";
import { isSame, type State } from "./state.ts";
import { StateTable } from "./state-table.ts";

export interface Finding {
  readonly fault: string;
  /** The shortest way to it, move by move. */
  readonly trace: readonly string[];
}

export interface Report {
  readonly states: number;
  /** Moves made, also to states that were known. */
  readonly moves: number;
  readonly depth: number;
  /** Whether there is no state left to look at. */
  readonly complete: boolean;
  /** States from which a fair run without further faults was seen to come to its end. */
  readonly settled: number;
  readonly longestRun: number;
  /** The states in which the record was seen at its end. */
  readonly ends: readonly string[];
  readonly finding: Finding | undefined;
}

export interface Limits {
  readonly states: number;
  /** Asked now and then: it ends there. */
  readonly isOver?: () => boolean;
  /** Gets each state once, when it is reached. */
  readonly onState?: (state: State) => void;
}

/** Between two looks at whether it is over. */
const STATES_AT_ONCE = 512;

export async function exploreStates(model: Model, limits: Limits): Promise<Report> {
  const { states: most, isOver = () => false, onState } = limits;
  const table = new StateTable();
  const initial = model.initial();
  table.add(initial, -1);
  onState?.(initial);
  let moves = 0;
  let depth = 0;
  let levelEnd = 1;
  let finding: Finding | undefined;
  const ends = new Set<string>();
  let at = 0;
  for (; at < table.size && table.size < most && !finding; at += 1) {
    if (at % STATES_AT_ONCE === 0 && isOver()) break;
    if (at === levelEnd) {
      depth += 1;
      levelEnd = table.size;
    }
    const state = table.get(at);
    const found = await movesToLookAt(model, table, state, at);
    let fair: Move | undefined;
    let fairTo = at;
    for (let index = 0; index < found.length; index += 1) {
      const move = found[index] as Move;
      const known = table.size;
      const to = table.add(move.to, at);
      moves += 1;
      if (to === known) onState?.(move.to);
      if (move.rank > 0 && (!fair || move.rank < fair.rank)) {
        fair = move;
        fairTo = to;
      }
      const fault = move.fault ?? (to === known ? model.faultOf(move.to) : undefined);
      if (fault !== undefined && !model.isKnown(fault)) {
        finding = { fault, trace: [...(await traceTo(model, table, at)), move.what] };
        break;
      }
    }
    table.setFair(at, fairTo);
    const end = model.endOf(state);
    if (end) ends.add(end);
    if (fairTo === at && !finding) {
      const fault = model.faultOfRest(state);
      if (fault !== undefined && !model.isKnown(fault)) finding = { fault, trace: await traceTo(model, table, at) };
    }
  }
  const complete = at === table.size;
  const runs = finding ? { settled: 0, longest: 0 } : await settle(model, table, at);
  finding ??= runs.finding;
  const { settled, longest: longestRun } = runs;
  return { states: table.size, moves, depth, complete, settled, longestRun, ends: [...ends].sort(), finding };
}

/**
 * Few moves only where one of them leads to a state that was not looked at before: so what is put off is not put off for ever. A process that runs on
 * comes to its next wait: there, nothing is.
 */
async function movesToLookAt(model: Model, table: StateTable, state: State, at: number): Promise<readonly Move[]> {
  const few = model.movesAtOnce(state, "few") ?? (await model.moves(state, "few"));
  if (!model.isReduced || model.setting.isCoarse || few.some(({ to }) => (table.find(to) ?? at + 1) > at)) return few;
  return model.moves(state);
}

/** Follows the fair run without faults from each state to its end. */
async function settle(
  model: Model,
  table: StateTable,
  looked: number,
): Promise<{ settled: number; longest: number; finding?: Finding }> {
  const lengths = new Int32Array(table.size).fill(-1);
  let longest = 0;
  let settled = 0;
  for (let start = 0; start < looked; start += 1) {
    const path: number[] = [];
    let at = start;
    while (at < looked && lengths[at] === -1) {
      lengths[at] = -2;
      path.push(at);
      const next = table.fairOf(at);
      if (next === at) break;
      at = next;
    }
    const isRest = at < looked && table.fairOf(at) === at;
    if (!isRest && at < looked && lengths[at] === -2) {
      return {
        settled,
        longest,
        finding: { fault: "a run without faults never ends", trace: await traceTo(model, table, start) },
      };
    }
    // What leads out of what was looked at is followed manually below.
    let length = isRest ? -1 : at < looked ? (lengths[at] as number) : -3;
    if (length === -3) {
      for (const each of path) lengths[each] = -3;
      continue;
    }
    for (const each of path.reverse()) {
      length += 1;
      lengths[each] = length;
      settled += 1;
    }
    longest = Math.max(longest, length);
  }
  return { settled, longest };
}

async function traceTo(model: Model, table: StateTable, at: number): Promise<string[]> {
  const steps: string[] = [];
  for (let here = at; table.parentOf(here) >= 0; here = table.parentOf(here)) {
    const state = table.get(here);
    const before = table.get(table.parentOf(here));
    const move = (await model.moves(before)).find(({ to }) => isSame(to, state));
    if (!move) throw new Error("no move leads where one led before");
    steps.push(move.what);
  }
  return steps.reverse();
}
