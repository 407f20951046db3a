// An unfinished orchestration in memory, and the register of all of them.
import { Register } from "../register.ts";
import { EventType, type HistoryEvent } from "./history.ts";
import type { InstanceRow, InstanceStore, NewInstance, ParentLink, UnfinishedStatus } from "./instance-store.ts";
import type { Session } from "./session.ts";
import type { Timer } from "./timers.ts";
import type { Work } from "./work.ts";

/** Something that happened to an instance and waits for its next turn. */
export interface Arrival {
  readonly event: HistoryEvent;
  /** Its row in the inbox, where it was accepted before it was handed over. */
  readonly inbox?: number;
  /** Set for an answer: of no use to another generation than the one that asked. */
  readonly generation?: number | null;
  /** The message that it came in, where the transport has messages. */
  readonly message?: string;
}

/** A task that was scheduled and has not ended. */
export interface OpenTask {
  readonly timer?: Timer;
  /** What runs or waits for its turn to run. */
  readonly work?: Work;
}

export class Instance {
  readonly int: number;
  readonly id: string;
  readonly name: string;
  readonly parent: ParentLink | undefined;
  readonly createdAt: number;
  updatedAt: number;
  generation: number;
  input: string | null;
  status: UnfinishedStatus;
  customStatus: string | null;
  /** Turns in the history. */
  turns = 0;
  /** True from the moment when its end, or its termination, is written. */
  ended = false;
  /** A turn of it runs or is being committed. */
  busy = false;
  hasInbox = false;
  /** Its first turn may run. */
  due = false;
  arrivals: Arrival[] = [];
  /** Events that came after the orchestrator went on as new, while a task of it was still open. */
  held: Arrival[] = [];
  /** The timers that it cancelled. They fire all the same, and do not keep it from ending. */
  readonly cancelled = new Set<number>();
  /** What was warned of already: every replay finds it again. */
  readonly warned = new Set<string>();
  session: Session | undefined;
  readonly open = new Map<number, OpenTask>();

  constructor(row: Omit<InstanceRow, "output" | "status"> & { readonly status: UnfinishedStatus }) {
    this.int = row.int;
    this.id = row.id;
    this.name = row.name;
    this.status = row.status;
    this.input = row.input;
    this.customStatus = row.customStatus;
    this.createdAt = row.createdAt;
    this.updatedAt = row.updatedAt;
    this.generation = row.generation;
    this.parent = row.parent === null ? undefined : (JSON.parse(row.parent) as ParentLink);
  }

  /** One that was created just now. */
  static started(int: number, { id, name, input, at, parent }: NewInstance): Instance {
    const link = parent ? JSON.stringify(parent) : null;
    const fresh = { customStatus: null, createdAt: at, updatedAt: at, generation: 0, parent: link };
    return new Instance({ int, id, name, status: "Pending", input, ...fresh });
  }
}

/** What is handed over to an instance in memory. */
export interface Delivery {
  readonly to: Instance;
  readonly arrival: Arrival;
}

export class LiveInstances {
  readonly #byId = new Register<string, Instance>();
  readonly #byInt = new Register<number, Instance>();

  get size(): number {
    return this.#byId.size;
  }

  add(instance: Instance): void {
    this.#byId.set(instance.id, instance);
    this.#byInt.set(instance.int, instance);
  }

  remove(instance: Instance): void {
    this.#byInt.delete(instance.int);
    if (this.#byId.get(instance.id) === instance) this.#byId.delete(instance.id);
  }

  byId(id: string): Instance | undefined {
    return this.#byId.get(id);
  }

  /** The instance that asked for something, if it still waits for the answer. */
  waiting(caller: { readonly int: number; readonly generation: number } | undefined): Instance | undefined {
    const instance = caller && this.#byInt.get(caller.int);
    return instance && !instance.ended && instance.generation === caller.generation ? instance : undefined;
  }
}

/** To be called inside `Database.write`: keeps a message until a turn has taken it in. */
export function accept(store: InstanceStore, instance: Instance, event: HistoryEvent): Arrival {
  instance.hasInbox = true;
  const generation = event.EventType === EventType.eventRaised ? null : instance.generation;
  return { event, generation, inbox: store.addToInbox(instance.int, generation, event) };
}
