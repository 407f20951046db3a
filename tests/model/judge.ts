// What an effect makes of the service's ledger and of what the shop is promised, and what is wrong with it.
import type { Effect } from "./effects.ts";
import { withoutTold } from "./normal-form.ts";
import type { Pieces } from "./pieces.ts";
import { faultOfTelling, kept, owesCompletion, type Promises, promised } from "./promises.ts";
import { mended, undoneByHand } from "./service.ts";
import type { Setting } from "./setting.ts";
import { LEDGER, PROMISES, type State } from "./state.ts";
import { faultOfUndone, isResubmitted, saysDoneByHand } from "./watch.ts";

interface Outcome {
  /** The record as the state keeps it. */
  readonly record: number;
  readonly ledger: number;
  readonly promises: number;
  readonly fault: string | undefined;
}

export class Judge {
  readonly #pieces: Pieces;
  readonly #setting: Setting;
  readonly #outcomes = new Map<Effect, Map<number, Outcome>>();

  constructor(pieces: Pieces, setting: Setting) {
    this.#pieces = pieces;
    this.#setting = setting;
  }

  /** What an effect makes of the ledger and the promises. An effect is one on one record, so those two decide. */
  outcomeOf(state: State, effect: Effect): Outcome {
    const key = (state[LEDGER] as number) * 2 ** 26 + (state[PROMISES] as number);
    let known = this.#outcomes.get(effect);
    if (!known) {
      known = new Map();
      this.#outcomes.set(effect, known);
    }
    let outcome = known.get(key);
    if (!outcome) {
      outcome = this.#judge(state, effect);
      known.set(key, outcome);
    }
    return outcome;
  }

  #judge(state: State, effect: Effect): Outcome {
    const { values } = this.#pieces;
    let { fault } = effect;
    let ledger = effect.ledger ?? (state[LEDGER] as number);
    let promises = values.get<Promises>(state[PROMISES] as number);
    const stored = this.#pieces.recordOf(state);
    if (effect.written) {
      promises = promised(promises, stored, values.get(effect.record));
      if (stored && saysDoneByHand(stored, effect.written)) ledger = values.idOf(undoneByHand(values.get(ledger)));
      if (stored && isResubmitted(stored, effect.written)) ledger = values.idOf(mended(values.get(ledger)));
      fault ??= faultOfUndone(effect.written, values.get(ledger), this.#setting.workflow);
    }
    if (effect.told) {
      fault ??= faultOfTelling(effect.told, promises, stored);
      promises = kept(promises, effect.told);
    }
    return { record: this.#kept(effect.record, promises), ledger, promises: values.idOf(promises), fault };
  }

  #kept(record: number, promises: Promises): number {
    if (record === 0 || this.#setting.isExact || this.#setting.isUnreduced) return record;
    const { values } = this.#pieces;
    return values.idOf(withoutTold(values.get(record), (step, attempt) => owesCompletion(promises, step, attempt)));
  }
}
