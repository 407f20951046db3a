// What an effect makes of the service's audit log and of what the client is promised, and what is wrong with it.
import {
  completionsOf,
  idempotencyKey,
  type StateRecord,
  type StepRecord,
} from "@scheduler-agent-supervisor/core/domain";
import type { Effect } from "./effects.ts";
import { withoutPublished } from "./normal-form.ts";
import type { Pieces } from "./pieces.ts";
import { faultOfPublishing, kept, owesCompletion, type Promises, promised } from "./promises.ts";
import { compensatedManually, fixed, recorded } from "./service.ts";
import { CONTENT, type Setting } from "./setting.ts";
import { PROMISES, RECORD, SERVICE_STATE, type State } from "./state.ts";
import { faultOfCompensated, isResubmitted, outcomeRecorded, saysDoneManually } from "./watch.ts";

interface Outcome {
  /** The record as the state keeps it. */
  readonly record: number;
  readonly serviceState: number;
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

  /** What an effect makes of the audit log and the promises. An effect is one on one record, so those two decide. */
  outcomeOf(state: State, effect: Effect): Outcome {
    const key = (state[SERVICE_STATE] as number) * 2 ** 26 + (state[PROMISES] as number);
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

  /** An attempt's look tells the client of the completed steps that it finds, before it begins others (`readProgress`). */
  afterLook(state: State): Pick<Outcome, "record" | "promises" | "fault"> {
    const { values } = this.#pieces;
    const stored = this.#pieces.recordOf(state);
    let promises = values.get<Promises>(state[PROMISES] as number);
    let fault: string | undefined;
    for (const one of stored ? completionsOf(stored) : []) {
      const message = { ...one, jobId: CONTENT.jobId };
      fault ??= faultOfPublishing(message, promises, stored, this.#setting.workflow);
      promises = kept(promises, message);
    }
    return { record: this.#kept(state[RECORD] as number, promises), promises: values.idOf(promises), fault };
  }

  #judge(state: State, effect: Effect): Outcome {
    const { values } = this.#pieces;
    let { fault } = effect;
    let serviceState = effect.serviceState ?? (state[SERVICE_STATE] as number);
    let promises = values.get<Promises>(state[PROMISES] as number);
    const stored = this.#pieces.recordOf(state);
    if (effect.written) {
      promises = promised(promises, stored, values.get(effect.record));
      if (stored && saysDoneManually(stored, effect.written))
        serviceState = values.idOf(compensatedManually(values.get(serviceState)));
      const outcome = stored && outcomeRecorded(stored, effect.written);
      if (stored && outcome) {
        const key = idempotencyKey(CONTENT.jobId, outcome.step, "forward", stored.steps[outcome.step] as StepRecord);
        serviceState = values.idOf(recorded(values.get(serviceState), key, outcome));
      }
      if (stored && isResubmitted(stored, effect.written)) serviceState = values.idOf(fixed(values.get(serviceState)));
      fault ??= faultOfCompensated(effect.written, values.get(serviceState), this.#setting.workflow);
    }
    for (const message of effect.published ?? []) {
      fault ??= faultOfPublishing(message, promises, stored, this.#setting.workflow);
      promises = kept(promises, message);
    }
    return { record: this.#kept(effect.record, promises), serviceState, promises: values.idOf(promises), fault };
  }

  #kept(record: number, promises: Promises): number {
    if (record === 0 || this.#setting.isExact || this.#setting.isUnreduced) return record;
    const { values } = this.#pieces;
    const stored = values.get<StateRecord>(record);
    const kept = withoutPublished(stored, (step, attempt) => owesCompletion(promises, step, attempt));
    return kept === stored ? record : values.idOf(kept);
  }
}
