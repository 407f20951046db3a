// Which pieces may go first: what they do next changes nothing that others look at, and nothing that others do changes it.

import {
  runOf,
  type StartAttempt,
  type StateRecord,
  type StepEnd,
  type Versioned,
} from "@scheduler-agent-supervisor/core/domain";
import { NOW_MS } from "./abstract-time.ts";
import type { Asked, Call, Replied, Reported } from "./calls.ts";
import { isEndOfStep } from "./handed-on.ts";
import type { Entry } from "./operation-run.ts";
import type { Operation, Piece } from "./piece.ts";
import type { Pieces } from "./pieces.ts";
import { type Promises, wordOf } from "./promises.ts";
import { AHEAD_MS, type Bounds, type Setting } from "./setting.ts";
import { BOUNDS, FIRST_PIECE, findPiece, isStalled, PROMISES, pieceOf, type State } from "./state.ts";
import { isEnded } from "./watch.ts";

/** More attempts than any state names: their numbers are closed up. */
const ANY = Array.from({ length: 20 }, (_, attempt) => attempt);

/**
 * Partial-order reduction by stubborn sets (Valmari): where one piece is independent of all others, its moves are the only ones that
 * are looked at. All others commute with them, in each state until the piece has moved, so that nothing is left out but sequences of
 * moves that lead to the same. reduction.test.ts asks each state of small worlds whether that is so.
 */
export class Independence {
  readonly #pieces: Pieces;
  readonly #setting: Setting;
  readonly #starts: (readonly number[] | undefined)[] = [];

  constructor(pieces: Pieces, setting: Setting) {
    this.#pieces = pieces;
    this.#setting = setting;
  }

  /** The first such piece, as it is placed, or the first process at work where that goes on first; 0 if there is none. */
  firstOf(state: State): number {
    for (let at = FIRST_PIECE; at < state.length; at += 1) {
      const placed = state[at] as number;
      if (this.isSo(state, placed)) return placed;
    }
    return this.#setting.isCoarse ? this.#firstAtWork(state) : 0;
  }

  /** A process that waits for nothing. One that has stalled, or may, goes on whenever it likes. */
  #firstAtWork(state: State): number {
    if (this.#pieces.values.get<Bounds>(state[BOUNDS] as number).stalls > 0) return 0;
    for (let at = FIRST_PIECE; at < state.length; at += 1) {
      const placed = state[at] as number;
      if (isStalled(placed) || this.#pieces.get(placed).kind !== "operation") continue;
      const stand = this.#pieces.stand(placed);
      if (stand && stand.kind !== "service") return placed;
    }
    return 0;
  }

  /** Never where the clock may tick before the piece moves: then it has stalled, or may. */
  isSo(state: State, placed: number): boolean {
    const { stalls, lateness } = this.#pieces.values.get<Bounds>(state[BOUNDS] as number);
    if (stalls > 0 || isStalled(placed)) return false;
    const id = pieceOf(placed);
    const operation = this.#pieces.get(id);
    if (operation.kind !== "operation") return false;
    const stand = this.#pieces.stand(id);
    if (!stand) return false;
    switch (stand.kind) {
      case "returned":
        return (
          operation.owner !== null &&
          !this.#hasReceiver(operation, stand.value) &&
          !this.#hasTwin(state, operation) &&
          this.#endsAlone(state, placed, operation)
        );
      case "service":
        // Too late for the service: it comes to know that its time is over.
        return (
          !this.#setting.mutant?.ignoresCompleteBy &&
          (lateness === 0 || this.#setting.bounds.repeats === 0) &&
          Date.parse(stand.completeBy) <= NOW_MS + AHEAD_MS[operation.host]
        );
      case "publish":
        return operation.name !== "publishEnd" && this.#isPublishedAgain(state, stand);
      case "change":
      case "replace":
        // Whoever is rejected reads nothing stale afterwards.
        if (this.#setting.bounds.staleReads > 0) return false;
        return this.#isRejectedForGood(stand, this.#pieces.recordOf(state));
      default:
        return false;
    }
  }

  /** What it reports makes another attempt go on, or its own. */
  #hasReceiver({ name }: Operation, value: unknown): boolean {
    return isEndOfStep(name) && (value as StepEnd | undefined | null)?.receiver != null;
  }

  /** The same activity runs twice: which of them ends first may matter. */
  #hasTwin(state: State, { host, owner }: Operation): boolean {
    let runs = 0;
    for (let at = FIRST_PIECE; at < state.length; at += 1) {
      const piece = this.#pieces.get(pieceOf(state[at] as number));
      if (piece.kind !== "operation" || piece.host !== host || !piece.owner) continue;
      if (piece.owner.attempt === owner?.attempt && piece.owner.task === owner.task) runs += 1;
    }
    return runs > 1;
  }

  /** The engine records an activity's result. Where one beside it may fail, or a timer may fire, what comes first matters. */
  #endsAlone(state: State, placed: number, { host, owner }: Operation): boolean {
    if (!owner) return false;
    const orchestration = this.#pieces.orchestrationOf(state, host, owner.attempt);
    if (orchestration === 0) return false;
    const { open } = this.#pieces.progress(pieceOf(orchestration));
    const now = NOW_MS + AHEAD_MS[host];
    if (open.some((task) => task.kind === "timer" && Date.parse(task.at) <= now)) return false;
    if (open.length > 1 && this.#setting.bounds.outages > 0) return false;
    return !this.#mayStartAgain(state, placed, owner.attempt);
  }

  /** Whoever starts the same attempt again finds its orchestration, or that it has ended. */
  #mayStartAgain(state: State, placed: number, attempt: number): boolean {
    for (let at = FIRST_PIECE; at < state.length; at += 1) {
      const other = state[at] as number;
      // The next one tells it that it is over.
      const starts = this.#startsOf(pieceOf(other));
      if (other !== placed && (starts.includes(attempt) || starts.includes(attempt + 1))) return true;
    }
    return false;
  }

  /** The attempts that a piece may come to start, or to have started. */
  #startsOf(id: number): readonly number[] {
    const known = this.#starts[id];
    if (known) return known;
    const piece = this.#pieces.get(id);
    const starts = this.#findStarts(id, piece);
    this.#starts[id] = starts;
    return starts;
  }

  #findStarts(id: number, piece: Piece): readonly number[] {
    const { values } = this.#pieces;
    switch (piece.kind) {
      case "message": {
        if (piece.queue === "jobs") return [1];
        if (piece.queue === "scheduler") return [values.get<StartAttempt>(piece.body).attempt];
        const body = values.get<Partial<Asked & Replied>>(piece.body);
        // A report is of whatever attempt waits for it by then.
        if (!body.request && !body.reply) return ANY;
        return [1 + ((body.request ?? body.reply)?.ticket.attempt ?? 0)];
      }
      case "orchestration":
        return [1 + values.get<StartAttempt>(piece.input).attempt];
      case "operation":
        return this.#startsOfOperation(id, piece);
      case "lateCall":
        return [];
      default:
        return piece satisfies never;
    }
  }

  /** A rejection leads to a compensation, which is the next attempt. */
  #startsOfOperation(id: number, operation: Operation): readonly number[] {
    switch (operation.name) {
      case "submitJob":
        return [1];
      case "takeStartAttempt":
        return [this.#pieces.attemptOf(id) ?? 0];
      case "sweep":
      case "operateJob": {
        const [read] = operation.log.flatMap((entry) => {
          const met = this.#pieces.values.get<Entry>(entry);
          return "answer" in met ? [(met.answer as Versioned | null)?.record] : [];
        });
        if (!read) return [];
        return read.processState === "Pending" ? [read.attempt, read.attempt + 1] : [read.attempt + 1];
      }
      case "takeReply":
        if ("report" in this.#pieces.values.get<Replied | Reported>(operation.input)) return ANY;
        return [1 + (this.#pieces.attemptOf(id) ?? 0)];
      default:
        return [1 + (this.#pieces.attemptOf(id) ?? 0)];
    }
  }

  /** What was told before goes again. With an outage it may have been left to be told, and so be owed again. */
  #isPublishedAgain(state: State, { messages }: Extract<Call, { kind: "publish" }>): boolean {
    const { owed } = this.#pieces.values.get<Promises>(state[PROMISES] as number);
    if (this.#mayOweReceived(state) || owed[0] === "Received") return false;
    return messages.every(
      ({ status, attempt, step }) =>
        !owed.includes(wordOf(status, attempt, step)) &&
        (this.#setting.bounds.outages === 0 || status === "StepCompleted" || status === "Started"),
    );
  }

  /** An operator who acts before the first attempt is known to be claimed has that told anew, before all else. */
  #mayOweReceived(state: State): boolean {
    const { actions } = this.#pieces.values.get<Bounds>(state[BOUNDS] as number);
    const isActing = (id: number) => {
      const piece = this.#pieces.get(id);
      return piece.kind === "operation" && piece.name === "operateJob";
    };
    return this.#pieces.recordOf(state)?.attempt === 1 && (actions > 0 || findPiece(state, isActing) !== 0);
  }

  /** Attempts are never counted down, an ended job goes on under the next one, and no version comes again. */
  #isRejectedForGood(call: Extract<Call, { kind: "change" | "replace" }>, record: StateRecord | undefined): boolean {
    const { ignoresVersion, forgets = [] } = this.#setting.mutant ?? {};
    if (call.kind === "replace") return call.etag === "stale" && !ignoresVersion;
    if (!record || forgets.length > 0) return false;
    const { attempt, processStates, step } = call.write.guard;
    const run = step && runOf(record.steps[step.name], step.direction);
    if (step && (run?.attempt ?? 0) > step.attempt) return true;
    if (attempt === undefined) return false;
    const isForHeld = processStates.every((state) => state === "Processing");
    return attempt < record.attempt || (attempt === record.attempt && isForHeld && isEnded(record));
  }
}
