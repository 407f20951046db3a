// The model forgets history, long past instants and most versions; reduced it forgets more. Walked side by side with one that forgets
// nothing but the time of day, each allows the same moves: so what it forgets makes no difference.

import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { expect, test } from "vitest";
import { forgetWhatIsOver } from "../../src/model/abstract-time.ts";
import { Model } from "../../src/model/model.ts";
import type { Move } from "../../src/model/moves.ts";
import { normalForm } from "../../src/model/normal-form.ts";
import { HOSTS, REQUESTS, type Setting } from "../../src/model/setting.ts";
import { RECORD, type State } from "../../src/model/state.ts";
import { randomFrom } from "../../src/world/virtual-time.ts";
import { CHAIN, FORK, JOIN, QUEUE } from "./workflows.ts";

const WALKS = 60;
const TIMEOUT_MS = 180_000;
const LONGEST_WALK = 160;
const MUCH_GOES_WRONG = {
  stalls: 2,
  deaths: 2,
  repeats: 2,
  outages: 2,
  actions: 2,
  rejections: 2,
  lateness: 2,
  progress: 2,
  forgeries: 2,
  staleReads: 0,
};

function recordOf(model: Model, state: State): string {
  if (state[RECORD] === 0) return "none";
  const record = normalForm(model.pieces.values.get<StateRecord>(state[RECORD] as number), true);
  const text = JSON.stringify({ ...record, outbox: record.outbox.map(({ status }) => status) });
  return forgetWhatIsOver(text).replace(ATTEMPT, "$1:0").replace(NUMBER, "n").replaceAll(FAILURES, "");
}

/** The reduced model counts attempts in its own way. */
const NUMBER = /(?<=attempt )\d+/g;
/** It does not count the failures of all steps together, and an operator's entry says that they are set to none. */
const FAILURES = /, failureCount \d+ set to 0/g;
const ATTEMPT = /("attempt"|"completedIn"|"lockedBy"):(\d+|"[^"]*")/g;

/** What a write is for is read off its history, which the model forgets. */
const AIM = /(?<=writes the record): .+?(?=: rejected|; its second try|; no answer|$)/;
const nameOf = ({ what }: Move) => what.replace(AIM, "").replace(NUMBER, "n");
/** It returned without a call: begun again it stands where it stood, unless one counts what its clock showed. */
const DIES_IN_VAIN = /askAgent . of attempt n dies/;
/** Two runs of one operation that differ only in what the model forgets are one there. */
const wordsOf = (moves: readonly Move[]) =>
  [...new Set(moves.map((move) => `${nameOf(move)} (${move.rank}) ${move.fault ?? ""}`))].sort();

const WALKED = [CHAIN, FORK, JOIN, QUEUE].flatMap((workflow, index) => [
  { workflow, seed: index + 1, isUnreduced: false },
  { workflow, seed: index + 1, isUnreduced: true },
]);

test.each(WALKED)(
  "workflow $seed, unreduced $isUnreduced: with and without what it forgets, every state on random ways allows the same moves",
  async ({ workflow, seed, isUnreduced }) => {
    const setting: Setting = {
      name: "walk",
      workflow,
      bounds: MUCH_GOES_WRONG,
      requests: Object.values(REQUESTS),
      hosts: HOSTS,
      isUnreduced,
    };
    const [model, exact] = [new Model(setting), new Model({ ...setting, isExact: true })];
    const random = randomFrom(seed);
    let compared = 0;
    for (let walk = 0; walk < WALKS; walk += 1) {
      let [state, exactState] = [model.initial(), exact.initial()];
      for (let steps = 0; steps < LONGEST_WALK; steps += 1) {
        const [moves, exactMoves] = [await model.moves(state), await exact.moves(exactState)];
        // Where the model has come to rest, time may still go on in the other: what is long ago gets longer ago.
        const known = wordsOf(moves);
        const others = wordsOf(exactMoves).filter(
          (words) => known.includes(words) || !(words.startsWith("the clock ticks") || DIES_IN_VAIN.test(words)),
        );
        expect(others).toEqual(known);
        expect(recordOf(exact, exactState)).toEqual(recordOf(model, state));
        compared += 1;
        const clear = moves.filter((move) => moves.filter((other) => nameOf(other) === nameOf(move)).length === 1);
        // Mostly forward, or a walk would soon have used up all that may go wrong.
        const fair = clear.filter(({ rank }) => rank > 0);
        const from = fair.length > 0 && random() < 0.8 ? fair : clear;
        const next = from[Math.floor(random() * from.length)];
        if (!next) break;
        state = next.to;
        exactState = exactMoves.find((move) => nameOf(move) === nameOf(next))?.to ?? exactState;
      }
    }
    expect(compared).toBeGreaterThan(WALKS * 20);
  },
  TIMEOUT_MS,
);
