// The durable engines of the hosts: an orchestration goes on with each event, and its activities begin and are waited for.

import {
  type Attempt,
  outcomeReadBy,
  PROGRESS,
  runKey,
  runsInHand,
  type StateRecord,
  type StepOutcome,
} from "@scheduler-agent-supervisor/core/domain";
import { NOW_MS } from "./abstract-time.ts";
import type { ActivityName } from "./operation-name.ts";
import { isActivity } from "./operation-run.ts";
import { PATIENCE_MS } from "./orchestration-run.ts";
import type { Operation, Orchestration } from "./piece.ts";
import type { Pieces } from "./pieces.ts";
import { AHEAD_MS, type Host, type Setting } from "./setting.ts";
import { change, FIRST_PIECE, pieceOf, RECORD, type State } from "./state.ts";

/** What an orchestration leads to where it goes on. */
interface Advance {
  /** Itself, while it has not ended, and the activities that begin. */
  readonly adds: readonly number[];
  /** The tasks that it waits for. */
  readonly waitedFor: ReadonlySet<number>;
}

const NOTHING_NEW = 0;

export class Engine {
  readonly #pieces: Pieces;
  readonly #isReduced: boolean;
  readonly #isPolled: boolean;
  readonly #advanced = new Map<string, number>();
  readonly #advances = new Map<string, Advance>();
  /** By the orchestration, then by the record. */
  readonly #found: (Map<number, number> | undefined)[] = [];
  readonly #alone: number[] = [];

  constructor(pieces: Pieces, setting: Setting) {
    this.#pieces = pieces;
    this.#isReduced = !setting.isExact && !setting.isUnreduced;
    this.#isPolled = (setting.polled ?? []).length > 0;
  }

  /** A start with the id of a running orchestration is rejected; one with the id of an ended one runs again. */
  start(state: State, host: Host, input: number): State | undefined {
    const { attempt } = this.#pieces.values.get<Attempt>(input);
    if (this.#pieces.orchestrationOf(state, host, attempt) !== 0) return state;
    const begun = this.#pieces.idOf({ kind: "orchestration", host, input, events: [], kept: [] });
    return this.#goOn(state, 0, begun, 0);
  }

  /** The state after an event, with the activities that begin then, and with those given up that nobody waits for any more. */
  progress(state: State, placed: number, event: Orchestration["events"][number]): State | undefined {
    const { made, open } = this.#pieces.progress(pieceOf(placed));
    // While it waits for events, no activity's result ends the wait, and none is looked at afterwards: see functions/scheduler.ts.
    const isActivity = open.some(({ task, kind }) => task === event.task && kind === "activity");
    if (this.#isReduced && isActivity && event.kind === "result" && this.#waitFor(pieceOf(placed), PROGRESS)) {
      const { host } = this.#pieces.get(pieceOf(placed)) as Orchestration;
      const attempt = this.#pieces.attemptOf(pieceOf(placed)) ?? 0;
      const others = open.flatMap(({ task }) => (task === event.task ? [] : [task]));
      return this.#giveUp(state, host, attempt, new Set(others));
    }
    const next = this.#withKept(this.#after(pieceOf(placed), event));
    const renewed = this.#renewed(next);
    return this.#goOn(state, placed, renewed, renewed === next ? made : 0);
  }

  /** @param made how many tasks it had made before: the others begin now */
  #goOn(state: State, placed: number, next: number, made: number): State | undefined {
    const key = `${next}:${made}`;
    const advance = this.#advances.get(key) ?? this.#findAdvance(next, made);
    if (!advance) return undefined;
    this.#advances.set(key, advance);
    const { host } = this.#pieces.get(next) as Orchestration;
    const attempt = this.#pieces.attemptOf(next) ?? 0;
    return this.#giveUp(change(state, placed, advance.adds), host, attempt, advance.waitedFor);
  }

  #findAdvance(next: number, made: number): Advance | undefined {
    const { host } = this.#pieces.get(next) as Orchestration;
    const { open, ended } = this.#pieces.progress(next);
    const attempt = this.#pieces.attemptOf(next) ?? 0;
    const adds = ended ? [] : [next];
    for (const task of open) {
      if (task.kind !== "activity" || task.task < made) continue;
      const begun = this.#pieces.begin(host, activityOf(task.name), this.#pieces.values.idOf(task.input), {
        attempt,
        task: task.task,
      });
      if (begun === undefined) return undefined;
      adds.push(begun);
    }
    return { adds, waitedFor: new Set(open.map(({ task }) => task)) };
  }

  /** As on Azure, an orchestration that continues as new loses the events that were kept for it. */
  #renewed(id: number): number {
    const { continuedWith } = this.#pieces.progress(id);
    if (!continuedWith) return id;
    const { host } = this.#pieces.get(id) as Orchestration;
    const input = this.#pieces.values.idOf(continuedWith);
    return this.#pieces.idOf({ kind: "orchestration", host, input, events: [], kept: [] });
  }

  #after(id: number, event: Orchestration["events"][number]): number {
    const key = `${id}:${event.task}:${event.kind}:${event.value}`;
    let next = this.#advanced.get(key);
    if (next === undefined) {
      const orchestration = this.#pieces.get(id) as Orchestration;
      const events = [...orchestration.events, event];
      next = this.#pieces.idOf({ ...orchestration, events });
      if (this.#isReduced && !this.#isPolled) next = this.#byTask(next, orchestration, events);
      this.#advanced.set(key, next);
    }
    return next;
  }

  /**
   * No decision asks which of a level's tasks ended first: what has lost a race is heard no more. But what fails, as a timer that fires, may begin
   * further tasks: then they stay as they came.
   */
  #byTask(id: number, orchestration: Orchestration, events: Orchestration["events"]): number {
    const sorted = [...events].sort((one, other) => one.task - other.task);
    const other = this.#pieces.idOf({ ...orchestration, events: sorted });
    return this.#pieces.progress(other).made === this.#pieces.progress(id).made ? other : id;
  }

  /** The state after an event is raised for an attempt: kept where it does not wait for it yet, lost where it is over. */
  raise(state: State, host: Host, attempt: number, name: string, value: number): State | undefined {
    const placed = this.#pieces.orchestrationOf(state, host, attempt);
    if (placed === 0) return state;
    const waits = this.#waitFor(pieceOf(placed), name);
    if (waits) return this.progress(state, placed, { task: waits.task, kind: "result", value });
    const orchestration = this.#pieces.get(pieceOf(placed)) as Orchestration;
    // The same event twice leads to nothing else than once.
    const kept = orchestration.kept.includes(value) ? orchestration.kept : [...orchestration.kept, value];
    return change(state, placed, [this.#pieces.idOf({ ...orchestration, kept })]);
  }

  /**
   * What an attempt finds that looks at the record, where that is news to it: at any time from when all that it waits for has expired, which is more than the
   * engine does. The timer, the look and its event are one here. A look that shows nothing new leads to the next one and to nothing else.
   */
  foundBy(state: State, placed: number): number | undefined {
    const id = pieceOf(placed);
    let known = this.#found[id];
    if (!known) {
      known = new Map();
      this.#found[id] = known;
    }
    const record = state[RECORD] as number;
    let found = known.get(record);
    if (found === undefined) {
      const outcome = this.#outcomeFor(id, this.#pieces.recordOf(state));
      found = outcome ? this.#pieces.values.idOf(outcome) : NOTHING_NEW;
      known.set(record, found);
    }
    return found === NOTHING_NEW ? undefined : found;
  }

  #outcomeFor(id: number, record: StateRecord | undefined): StepOutcome | undefined {
    const { host, input } = this.#pieces.get(id) as Orchestration;
    const { open, begun } = this.#pieces.progress(id);
    const now = NOW_MS + AHEAD_MS[host];
    if (!open.some((task) => task.kind === "timer" && Date.parse(task.at) <= now)) return undefined;
    const { lockedBy, attempt } = this.#pieces.values.get<Attempt>(input);
    const outcome = outcomeReadBy({ lockedBy }, record);
    if (outcome.kind !== "completed") return outcome;
    const inHand = runsInHand(outcome.steps);
    const isNews =
      inHand.length === 0 || inHand.some((each) => each.run.attempt === attempt && !begun.has(runKey(each)));
    return isNews ? outcome : undefined;
  }

  /** The state once the timer of its next polls has fired: at any time from when they are due. */
  polledBy(state: State, placed: number): State | undefined {
    if (!this.#isPolled) return undefined;
    const id = pieceOf(placed);
    const { host } = this.#pieces.get(id) as Orchestration;
    const { open, made } = this.#pieces.progress(id);
    const timer = open.find(({ kind }) => kind === "timer") as
      | { readonly task: number; readonly at: string }
      | undefined;
    if (!timer || Date.parse(timer.at) + PATIENCE_MS > NOW_MS + AHEAD_MS[host]) return undefined;
    const fired = { task: timer.task, kind: "fired", value: this.#pieces.nothing } as const;
    const next = this.#pieces.progress(this.#after(id, fired));
    const polls = next.open.some((task) => task.kind === "activity" && task.task >= made && task.name === "pollStep");
    return polls ? this.progress(state, placed, fired) : undefined;
  }

  /** Whether the outcome of that task can still make a difference to it. */
  waitsFor(placed: number, task: number): boolean {
    return this.#pieces.progress(pieceOf(placed)).open.some((open) => open.task === task);
  }

  #waitFor(id: number, name: string) {
    return this.#pieces.progress(id).open.find((task) => task.kind === "event" && task.name === name);
  }

  /** An orchestration that comes to wait for an event takes the first that was kept for it. */
  #withKept(id: number): number {
    const orchestration = this.#pieces.get(id) as Orchestration;
    const [value, ...rest] = orchestration.kept;
    const waits = value === undefined ? undefined : this.#waitFor(id, PROGRESS);
    if (value === undefined || !waits) return id;
    const event = { task: waits.task, kind: "result", value } as const;
    return this.#withKept(this.#after(this.#pieces.idOf({ ...orchestration, kept: rest }), event));
  }

  /** Activities for whose result nobody waits any more run on to their end. */
  #giveUp(state: State, host: Host, attempt: number, waitedFor: ReadonlySet<number>): State | undefined {
    let next = state;
    for (let at = FIRST_PIECE; at < state.length; at += 1) {
      const placed = state[at] as number;
      const piece = this.#pieces.get(pieceOf(placed));
      if (!isActivityOf(piece as Operation, host, attempt) || waitedFor.has((piece as Operation).owner?.task ?? -1))
        continue;
      this.#alone[pieceOf(placed)] ??= this.#pieces.idOf({ ...(piece as Operation), owner: null });
      const alone = this.#alone[pieceOf(placed)] as number;
      const isOver = this.#pieces.isOver(alone);
      if (isOver === undefined) return undefined;
      next = change(next, placed, isOver ? [] : [alone]);
    }
    return next;
  }
}

/** An agent that lives in the app has an activity of its own. */
function activityOf(name: string): ActivityName {
  return isActivity(name as ActivityName) ? (name as ActivityName) : "runStep";
}

function isActivityOf(piece: Operation, host: Host, attempt: number): boolean {
  return piece.kind === "operation" && piece.host === host && piece.owner?.attempt === attempt;
}
