// One setting of the model: where it begins, what may happen next, and what must hold.
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { type Move, Moves } from "./moves.ts";
import { Pieces } from "./pieces.ts";
import { NOTHING_PROMISED, type Promises } from "./promises.ts";
import type { Setting } from "./setting.ts";
import { FIRST_PIECE, NOTHING_OLDER, PROMISES, RECORD, SERVICE_STATE, type State } from "./state.ts";
import { faultOfState, isEnded } from "./watch.ts";

export class Model {
  readonly setting: Setting;
  readonly pieces: Pieces;
  readonly isReduced: boolean;
  readonly #moves: Moves;
  readonly #faults = new Map<number, string | undefined>();
  readonly #ends = new Map<number, StateRecord["processState"] | undefined>();

  constructor(setting: Setting) {
    this.setting = setting;
    this.isReduced = !setting.isExact && !setting.isUnreduced;
    this.pieces = new Pieces(setting);
    this.#moves = new Moves(this.pieces, setting);
  }

  /** The job's message has arrived at the bus. */
  initial(): State {
    const { values } = this.pieces;
    const job = this.pieces.idOf({
      kind: "message",
      queue: "jobs",
      body: this.pieces.nothing,
      at: null,
      until: null,
    });
    return [0, values.idOf({}), values.idOf(NOTHING_PROMISED), values.idOf(this.setting.bounds), NOTHING_OLDER, job];
  }

  /** Undefined where operations have to run first to know. Few: where one piece may go first, its moves alone. */
  movesAtOnce(state: State, which: "all" | "few" = "all"): readonly Move[] | undefined {
    const moves = which === "few" && this.isReduced ? this.#moves.fewFrom(state) : this.#moves.from(state);
    return this.pieces.isLacking ? undefined : moves;
  }

  async moves(state: State, which: "all" | "few" = "all"): Promise<readonly Move[]> {
    for (;;) {
      const moves = this.movesAtOnce(state, which);
      if (moves) return moves;
      await this.pieces.resolve();
    }
  }

  /** Whether the moves of that piece may be looked at alone. */
  isIndependent(state: State, placed: number): boolean {
    return this.#moves.isIndependent(state, placed);
  }

  async movesOf(state: State, placed: number): Promise<readonly Move[]> {
    for (;;) {
      const moves = this.#moves.of(state, placed);
      if (!this.pieces.isLacking) return moves;
      await this.pieces.resolve();
    }
  }

  faultOf(state: State): string | undefined {
    const [record, serviceState] = [state[RECORD] as number, state[SERVICE_STATE] as number];
    if (record === 0) return undefined;
    const key = record * 2 ** 26 + serviceState;
    if (!this.#faults.has(key)) {
      const { values } = this.pieces;
      this.#faults.set(key, faultOfState(values.get(record), values.get(serviceState), this.setting.workflow));
    }
    return this.#faults.get(key);
  }

  /** How the record has ended; undefined while it has not. */
  endOf(state: State): StateRecord["processState"] | undefined {
    const id = state[RECORD] as number;
    if (id !== 0 && !this.#ends.has(id)) {
      const record = this.pieces.values.get<StateRecord>(id);
      this.#ends.set(id, isEnded(record) ? record.processState : undefined);
    }
    return this.#ends.get(id);
  }

  isKnown(fault: string): boolean {
    return this.setting.known?.some((words) => fault.includes(words)) ?? false;
  }

  /** What is wrong with a state in which nothing moves any more; undefined if nothing is. */
  faultOfRest(state: State): string | undefined {
    if (state.length > FIRST_PIECE) return "something is left that never moves";
    if (state[RECORD] === 0) return "there is no job";
    const record = this.pieces.values.get<StateRecord>(state[RECORD] as number);
    const { owed } = this.pieces.values.get<Promises>(state[PROMISES] as number);
    if (!isEnded(record)) return `the job never ends: it stays ${record.processState}`;
    if (owed.length > 0) return `the client is never told ${owed.join(", ")}`;
    if (record.outbox.length > 0)
      return `the outbox message of ${record.outbox.map(({ status }) => status).join(", ")} is left`;
    if (record.deadlineAt) return "an ended job keeps its deadline";
    return record.dueAt === undefined ? undefined : "an ended job stays due";
  }
}
