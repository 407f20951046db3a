// The heart of the engine: takes instances in the order in which something happened to them, runs a turn, commits it, then dispatches.
import type { Database } from "../../database/database.ts";
import { inWords } from "../../thrown.ts";
import type { DurableSettings } from "../host-json-durable.ts";
import { Register } from "../register.ts";
import { type Aftermath, type CommitParts, writeTurn } from "./commit.ts";
import { endedTask, type HistoryEvent } from "./history.ts";
import type { Arrival, Delivery, Instance } from "./instance.ts";
import type { Orphan } from "./instance-store.ts";
import { untilAllEnded } from "./open-tasks.ts";
import type { Packing } from "./packing.ts";
import { asOnHost, replayTurn, resumeTurn, type Turn, withoutTakenIds } from "./replay.ts";
import { dispatchOfEvent, eventOfCommand } from "./scheduling.ts";
import type { End, Session } from "./session.ts";
import type { Origin, Receiver, Transport } from "./transport.ts";

export interface TurnParts extends CommitParts {
  readonly db: Database;
  readonly packing: Packing;
  readonly settings: DurableSettings;
  readonly warn: (message: string) => void;
}

interface TurnOptions {
  /** Turns that run or wait for their commit at one time. */
  readonly maxTurns: number;
  /** Sessions kept in memory; 0 replays every turn. */
  readonly maxSessions: number;
}

const RETRY_COMMIT_AFTER_MS = 1000;

export class Turns implements Receiver {
  readonly counts = {
    orchestrationsStarted: 0,
    orchestrationsCompleted: 0,
    orchestrationsFailed: 0,
    turns: 0,
    replays: 0,
  };
  #inFlight = 0;
  #open = false;
  readonly #parts: TurnParts;
  readonly #options: TurnOptions;
  readonly transport: Transport;
  /** By their `int`, as those below. */
  readonly #ready = new Register<number, Instance>();
  /** Least recently used first. */
  readonly #sessions = new Register<number, Instance>();

  constructor(parts: TurnParts, options: TurnOptions, transportTo: (turns: Receiver) => Transport) {
    this.#parts = parts;
    this.#options = options;
    this.transport = transportTo(this);
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

  /** Sends what happened to an instance on its way to it. */
  deliver(instance: Instance, arrival: Arrival, from?: Origin): void {
    this.transport.send(instance, arrival, from);
  }

  /** Answers for tasks that have ended already, or are of another generation, are dropped. */
  take(instance: Instance, arrival: Arrival): boolean {
    if (instance.ended || (arrival.generation ?? instance.generation) !== instance.generation) return false;
    const task = endedTask(arrival.event);
    if (task !== undefined && !instance.open.delete(task)) return false;
    instance.arrivals.push(arrival);
    this.wake(instance);
    return true;
  }

  begin(instance: Instance): void {
    instance.due = true;
    this.wake(instance);
  }

  wake(instance: Instance): void {
    if (instance.busy || instance.ended || instance.status === "Suspended") return;
    if (instance.turns === 0 ? !instance.due : instance.arrivals.length === 0) return;
    this.#ready.set(instance.int, instance);
    this.#pump();
  }

  /** Forgets an instance that has ended. */
  release(instance: Instance): void {
    this.#parts.live.remove(instance);
    this.#dropSession(instance);
    this.#clearOpen(instance);
    this.transport.drop(instance, [...instance.held, ...instance.arrivals]);
    this.#ready.delete(instance.int);
    this.#parts.packing.add(instance.int);
  }

  /** Takes up what a scheduling event of the history asks for. */
  dispatch(instance: Instance, event: HistoryEvent): void {
    const scheduled = { id: event.EventId, at: new Date(event.Timestamp).getTime() };
    const wanted = dispatchOfEvent(event);
    switch (wanted.kind) {
      case "activity":
        this.transport.work(instance, scheduled, { name: wanted.name, input: wanted.input, instanceId: instance.id });
        break;
      case "timer":
        this.transport.timer(instance, scheduled, wanted.fireAt);
        break;
      case "none":
        instance.open.set(scheduled.id, {});
        break;
      default:
        wanted satisfies never;
    }
  }

  async forget(orphan: Orphan): Promise<void> {
    const { db, store } = this.#parts;
    // Not written, as when the engine is closed: it is done once more.
    await db.write(() => store.removeOrphan(orphan)).catch(() => undefined);
  }

  #pump(): void {
    for (const instance of this.#ready.values()) {
      if (!this.#open || this.#inFlight >= this.#options.maxTurns) return;
      // Its end is committed, and released when it is on the disk; or the commit failed, and it is woken once more.
      if (instance.ended) continue;
      this.#ready.delete(instance.int);
      void this.#run(instance);
    }
  }

  async #run(instance: Instance): Promise<void> {
    const { db, live } = this.#parts;
    const { costs } = this.transport;
    this.#inFlight += 1;
    instance.busy = true;
    let arrivals: Arrival[] = [];
    let isWriting = false;
    try {
      if (costs) await costs.beforeTurn();
      arrivals = instance.arrivals;
      instance.arrivals = [];
      instance.due = false;
      const replayed = asOnHost(instance, await this.#execute(instance, arrivals), () => this.#past(instance));
      const result = withoutTakenIds(instance, replayed, (id) => live.byId(id) !== undefined);
      this.#warnOnce(instance, result.warnings);
      const scheduled = result.commands.map((command) => eventOfCommand(command, instance, result.at));
      const turn = untilAllEnded(instance, result, scheduled);
      if (costs) await costs.beforeCommit(scheduled.length + (turn.end && instance.parent ? 1 : 0));
      isWriting = true;
      const aftermath = await db.write(() => {
        this.transport.taken(instance, arrivals);
        return writeTurn(this.#parts, instance, turn, scheduled, arrivals);
      });
      instance.busy = costs !== undefined;
      if (aftermath) this.#settle(instance, turn, scheduled, aftermath);
      if (costs) {
        await costs.afterCommit(instance);
        instance.busy = false;
        this.wake(instance);
      }
    } catch (cause) {
      // One that was terminated meanwhile has left the register, and stays ended.
      if (isWriting) instance.ended = live.byId(instance.id) !== instance;
      this.#postpone(instance, arrivals, cause);
    } finally {
      this.#inFlight -= 1;
    }
    this.#pump();
  }

  #execute(instance: Instance, arrivals: readonly Arrival[]): Turn | Promise<Turn> {
    this.counts.turns += 1;
    if (instance.session) return resumeTurn(instance.session, arrivals);
    const past = this.#past(instance);
    if (past.length > 0) this.counts.replays += 1;
    return replayTurn(this.#parts.app, instance, past, arrivals, this.#parts.settings);
  }

  #past({ int, turns }: Instance): HistoryEvent[] {
    return turns === 0 ? [] : this.#parts.store.history(int).events;
  }

  /** After the commit: brings the memory up to date and sets going what was scheduled. */
  #settle(instance: Instance, turn: Turn, scheduled: readonly HistoryEvent[], aftermath: Aftermath): void {
    const { children, deliveries } = aftermath;
    const { end, session, leftOver } = turn;
    instance.updatedAt = turn.at.getTime();
    instance.customStatus = turn.customStatus;
    instance.held.push(...leftOver);
    if (end?.kind === "continued") this.#goOnAsNew(instance, end.input);
    else instance.turns += 1;
    if (instance.status === "Pending") instance.status = "Running";
    this.#keepSession(instance, end ? undefined : session);
    if (!end) for (const event of scheduled) this.dispatch(instance, event);
    // They fire all the same; the library is told, as the real host tells it.
    for (const id of turn.cancelled) if (instance.open.has(id)) instance.cancelled.add(id);
    for (const child of children) this.add(child);
    if (end && end.kind !== "continued") this.#conclude(instance, end);
    this.spread(deliveries);
    if (end?.kind === "continued") this.transport.start(instance);
    else this.wake(instance);
  }

  #goOnAsNew(instance: Instance, input: string): void {
    this.#clearOpen(instance);
    instance.generation += 1;
    instance.turns = 0;
    instance.input = input;
    // Answers to the generation before are for nobody now; events from outside are for whoever runs.
    const isAnswer = ({ event }: Arrival) => endedTask(event) !== undefined;
    this.transport.drop(instance, instance.arrivals.filter(isAnswer));
    instance.arrivals = [...instance.held, ...instance.arrivals.filter((arrival) => !isAnswer(arrival))];
    instance.held = [];
  }

  /** Makes a created instance live. */
  add(instance: Instance, from?: Origin): void {
    this.counts.orchestrationsStarted += 1;
    this.#parts.live.add(instance);
    this.transport.start(instance, from);
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
    this.#sessions.set(instance.int, instance);
    if (this.#sessions.size <= maxSessions) return;
    for (const oldest of this.#sessions.values()) {
      if (oldest.busy) continue;
      this.#dropSession(oldest);
      return;
    }
  }

  #dropSession(instance: Instance): void {
    instance.session = undefined;
    this.#sessions.delete(instance.int);
  }

  #clearOpen(instance: Instance): void {
    this.transport.clear(instance);
    instance.open.clear();
    instance.cancelled.clear();
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
    const { warn } = this.#parts;
    warn(`A turn of ${instance.name} '${instance.id}' could not be committed and will be run again: ${inWords(cause)}`);
    instance.arrivals.unshift(...arrivals);
    instance.due = instance.turns === 0;
    this.#dropSession(instance);
    setTimeout(() => {
      instance.busy = false;
      this.wake(instance);
    }, RETRY_COMMIT_AFTER_MS).unref();
  }
}
