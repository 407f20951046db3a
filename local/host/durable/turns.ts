// The heart of the engine: takes instances in the order in which something happened to them, runs a turn, commits it, then dispatches.
import type { Database } from "../../database/database.ts";
import type { Activities, Work, WorkOutcome } from "./activities.ts";
import { type Aftermath, type CommitParts, type Delivery, writeTurn } from "./commit.ts";
import { EventType, endedTask, type HistoryEvent, taskCompleted, taskFailed, timerFired } from "./history.ts";
import type { Arrival, Instance } from "./instance.ts";
import { replayTurn, resumeTurn, type Turn } from "./replay.ts";
import { dispatchOfEvent, eventOfCommand } from "./scheduling.ts";
import type { End, Session } from "./session.ts";
import type { Orphan } from "./store.ts";
import type { Timers } from "./timers.ts";

export interface TurnParts extends CommitParts {
  readonly db: Database;
  readonly timers: Timers;
  readonly activities: Activities;
  readonly warn: (message: string) => void;
}

export interface TurnOptions {
  /** Turns that run or wait for their commit at one time. */
  readonly maxTurns: number;
  /** Sessions kept in memory; 0 replays every turn. */
  readonly maxSessions: number;
}

const RETRY_COMMIT_AFTER_MS = 1000;

export class Turns {
  readonly counts = {
    orchestrationsStarted: 0,
    orchestrationsCompleted: 0,
    orchestrationsFailed: 0,
    turns: 0,
    replays: 0,
    timersFired: 0,
  };
  #inFlight = 0;
  #open = false;
  readonly #parts: TurnParts;
  readonly #options: TurnOptions;
  readonly #ready = new Set<Instance>();
  /** Least recently used first. */
  readonly #sessions = new Set<Instance>();

  constructor(parts: TurnParts, options: TurnOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** Until then instances only gather what happens to them. */
  open(): void {
    this.#open = true;
    this.#pump();
  }

  close(): void {
    this.#open = false;
  }

  /** Hands over what happened; answers for tasks that have ended already, or are of another generation, are dropped. */
  deliver(instance: Instance, arrival: Arrival): void {
    if (instance.ended || (arrival.generation ?? instance.generation) !== instance.generation) return;
    const task = endedTask(arrival.event);
    if (task !== undefined && !instance.open.delete(task)) return;
    instance.arrivals.push(arrival);
    this.wake(instance);
  }

  wake(instance: Instance): void {
    if (instance.busy || instance.ended || instance.status === "Suspended") return;
    if (instance.arrivals.length === 0 && instance.turns > 0) return;
    this.#ready.add(instance);
    this.#pump();
  }

  /** Forgets an instance that has ended. */
  release(instance: Instance): void {
    this.#parts.live.remove(instance);
    this.#dropSession(instance);
    this.#clearOpen(instance);
    this.#ready.delete(instance);
  }

  /** Takes up what a scheduling event of the history asks for. */
  dispatch(instance: Instance, event: HistoryEvent): void {
    const { timers, activities } = this.#parts;
    const { EventId: id } = event;
    const { generation } = instance;
    if (event.EventType === EventType.eventSent) return;
    const arrive = (completion: HistoryEvent) => {
      if (instance.generation === generation) this.deliver(instance, { event: completion });
    };
    const isLeft = () => instance.ended || instance.generation !== generation;
    const finish = async (outcome: WorkOutcome) => {
      if (isLeft()) await this.#forget({ int: instance.int, generation, task: id });
      // Also where the disk has refused the end meanwhile: then it is waited for again.
      if (!isLeft()) arrive(completionOf(id, outcome));
    };
    const begin = (begun: Work) => {
      instance.open.set(id, { work: begun });
      activities.run(begun, finish);
    };
    const work = dispatchOfEvent(event);
    instance.open.set(id, {});
    switch (work.kind) {
      case "activity":
        begin({ ...work, instanceId: instance.id });
        break;
      case "http":
        if (work.request.notBefore === undefined) begin(work);
        else instance.open.set(id, { timer: timers.add(work.request.notBefore, () => activities.run(work, finish)) });
        break;
      case "timer": {
        const fire = () => {
          this.counts.timersFired += 1;
          arrive(timerFired(new Date(), id, work.fireAt));
        };
        instance.open.set(id, { timer: timers.add(work.fireAt, fire) });
        break;
      }
      case "none":
        break;
      default:
        work satisfies never;
    }
  }

  /** Does work again that a restart found without an end, and whose orchestration has ended. */
  adopt(orphan: Orphan, work: Work): void {
    this.#parts.activities.run(work, () => void this.#forget(orphan));
  }

  async #forget(orphan: Orphan): Promise<void> {
    const { db, store } = this.#parts;
    // Not written, as when the engine is closed: it is done once more.
    await db.write(() => store.removeOrphan(orphan)).catch(() => undefined);
  }

  #pump(): void {
    for (const instance of this.#ready) {
      if (!this.#open || this.#inFlight >= this.#options.maxTurns) return;
      this.#ready.delete(instance);
      void this.#run(instance);
    }
  }

  async #run(instance: Instance): Promise<void> {
    this.#inFlight += 1;
    instance.busy = true;
    const arrivals = instance.arrivals;
    instance.arrivals = [];
    try {
      const turn = await this.#execute(instance, arrivals);
      const { db } = this.#parts;
      this.#warnOnce(instance, turn.warnings);
      const scheduled = turn.commands.map((command) => eventOfCommand(command, instance, turn.at));
      const aftermath = await db.write(() => writeTurn(this.#parts, instance, turn, scheduled, arrivals));
      instance.busy = false;
      if (aftermath) this.#settle(instance, turn, scheduled, aftermath);
    } catch (cause) {
      this.#postpone(instance, arrivals, cause);
    } finally {
      this.#inFlight -= 1;
    }
    this.#pump();
  }

  #execute(instance: Instance, arrivals: readonly Arrival[]): Turn | Promise<Turn> {
    this.counts.turns += 1;
    if (instance.session) return resumeTurn(instance.session, arrivals);
    const { app, store } = this.#parts;
    const past = instance.turns === 0 ? [] : store.history(instance.int).events;
    if (past.length > 0) this.counts.replays += 1;
    return replayTurn(app, instance, past, arrivals);
  }

  /** After the commit: brings the memory up to date and sets going what was scheduled. */
  #settle(instance: Instance, turn: Turn, scheduled: readonly HistoryEvent[], aftermath: Aftermath): void {
    const { cancelled, children, deliveries, entities } = aftermath;
    instance.updatedAt = turn.at.getTime();
    instance.customStatus = turn.customStatus;
    if (turn.end?.kind === "continued") {
      this.#clearOpen(instance);
      instance.generation += 1;
      instance.turns = 0;
      instance.input = turn.end.input;
      // Answers to the generation before are for nobody now; events from outside are for whoever runs.
      const forNext = [...turn.leftOver, ...instance.arrivals].filter(({ event }) => endedTask(event) === undefined);
      instance.arrivals = forNext;
    } else {
      instance.turns += 1;
    }
    if (instance.status === "Pending") instance.status = "Running";
    this.#keepSession(instance, turn.session);
    for (const event of scheduled) {
      if (event.EventType === EventType.eventSent) turn.session?.note(event);
      if (!turn.end) this.dispatch(instance, event);
    }
    for (const id of cancelled) {
      const { timer } = instance.open.get(id) ?? {};
      if (timer) this.#parts.timers.cancel(timer);
      instance.open.delete(id);
    }
    for (const child of children) this.begin(child);
    if (turn.end && turn.end.kind !== "continued") this.#conclude(instance, turn.end);
    this.spread(deliveries);
    for (const entity of entities) this.#parts.entities.wake(entity);
    this.wake(instance);
  }

  /** Makes a created instance live. */
  begin(instance: Instance): void {
    this.counts.orchestrationsStarted += 1;
    this.#parts.live.add(instance);
    this.wake(instance);
  }

  spread(deliveries: readonly Delivery[]): void {
    for (const { to, arrival } of deliveries) this.deliver(to, arrival);
  }

  #conclude(instance: Instance, end: Exclude<End, { kind: "continued" }>): void {
    if (end.kind === "completed") this.counts.orchestrationsCompleted += 1;
    else {
      this.counts.orchestrationsFailed += 1;
      this.#parts.warn(`${instance.name} '${instance.id}' failed: ${end.reason}`);
    }
    this.release(instance);
  }

  #keepSession(instance: Instance, session: Session | undefined): void {
    const { maxSessions } = this.#options;
    this.#dropSession(instance);
    if (!session || maxSessions === 0) return;
    instance.session = session;
    this.#sessions.add(instance);
    if (this.#sessions.size <= maxSessions) return;
    for (const oldest of this.#sessions) {
      if (oldest.busy) continue;
      this.#dropSession(oldest);
      return;
    }
  }

  #dropSession(instance: Instance): void {
    instance.session = undefined;
    this.#sessions.delete(instance);
  }

  #clearOpen(instance: Instance): void {
    for (const { timer } of instance.open.values()) if (timer) this.#parts.timers.cancel(timer);
    instance.open.clear();
  }

  #warnOnce(instance: Instance, warnings: readonly string[]): void {
    for (const warning of warnings) {
      if (instance.warned.has(warning)) continue;
      instance.warned.add(warning);
      this.#parts.warn(`${instance.name} '${instance.id}': ${warning}`);
    }
  }

  /** The disk refused the turn, which therefore has not happened: it is run again from the history. */
  #postpone(instance: Instance, arrivals: readonly Arrival[], cause: unknown): void {
    const { warn, timers, live } = this.#parts;
    warn(`A turn of ${instance.name} '${instance.id}' could not be committed and will be run again: ${String(cause)}`);
    // One that was terminated meanwhile has left the register, and stays ended.
    instance.ended = live.byId(instance.id) !== instance;
    instance.arrivals.unshift(...arrivals);
    this.#dropSession(instance);
    timers.add(Date.now() + RETRY_COMMIT_AFTER_MS, () => {
      instance.busy = false;
      this.wake(instance);
    });
  }
}

function completionOf(id: number, outcome: WorkOutcome): HistoryEvent {
  const at = new Date();
  return outcome.kind === "done"
    ? taskCompleted(at, id, outcome.result)
    : taskFailed(at, id, outcome.reason, outcome.details);
}
