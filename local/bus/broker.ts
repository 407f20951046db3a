// All queues of the namespace: found by address, created, changed and deleted; and the one clock tick that moves them.
import { BodyCache } from "./body-cache.ts";
import { Queue, type QueueCounts } from "./queue.ts";
import { type ArmProperties, parseSettings, readSettings } from "./queue-settings.ts";
import type { QueueRow, Store } from "./store.ts";
import type { OperationCounts, Surroundings } from "./surroundings.ts";

export interface QueueDescription {
  readonly name: string;
  readonly properties: ArmProperties;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface QueueReport {
  readonly row: QueueDescription;
  readonly counts: QueueCounts;
}

interface Entry {
  row: QueueRow;
  readonly queue: Queue;
}

const DEAD_LETTER_SUFFIX = "/$deadletterqueue";
const TICK_MS = 20;

export class Broker {
  readonly counts: OperationCounts = {
    sends: 0,
    deliveries: 0,
    completes: 0,
    abandons: 0,
    deadLetters: 0,
    renews: 0,
    connections: 0,
  };
  readonly #store: Store;
  readonly #around: Surroundings;
  readonly #entries = new Map<string, Entry>();
  readonly #ticking: NodeJS.Timeout;
  /** Told of every queue that goes, so that its links can be closed. */
  onDeleted: (queue: Queue) => void = () => {};

  constructor(store: Store, now: () => number) {
    this.#store = store;
    let lastDuplicateId = store.lastDuplicateId();
    this.#around = {
      store,
      bodies: new BodyCache(store),
      counts: this.counts,
      now,
      newDuplicateId: () => {
        lastDuplicateId += 1;
        return lastDuplicateId;
      },
    };
    for (const row of store.queues()) this.#open(row).restore(store.messages(row.number), store.duplicates(row.number));
    this.#ticking = setInterval(() => this.tick(), TICK_MS);
  }

  /** Addresses are case-insensitive; `<queue>/$deadletterqueue` is its dead-letter queue. */
  find(address: string): Queue | undefined {
    const name = address.toLowerCase();
    if (!name.endsWith(DEAD_LETTER_SUFFIX)) return this.#entries.get(name)?.queue;
    return this.#entries.get(name.slice(0, -DEAD_LETTER_SUFFIX.length))?.queue.deadLetter;
  }

  describe(name: string): QueueReport | undefined {
    const entry = this.#entries.get(name.toLowerCase());
    return entry && { row: entry.row, counts: entry.queue.count() };
  }

  list(): QueueReport[] {
    return [...this.#entries.values()].map(({ row, queue }) => ({ row, counts: queue.count() }));
  }

  /** Why `put` would refuse these properties. */
  findFault(name: string, properties: ArmProperties): string | undefined {
    const settings = parseSettings(name, properties);
    if (typeof settings === "string") return settings;
    const present = this.find(name);
    return present && present.settings.requiresSession !== settings.requiresSession
      ? `Queue ${name}: requiresSession cannot be changed. Delete the queue first.`
      : undefined;
  }

  /** Creates the queue, or sets an existing one's properties. Throws if `findFault` finds one. */
  async put(name: string, properties: ArmProperties): Promise<"created" | "updated"> {
    const fault = this.findFault(name, properties);
    if (fault) throw new Error(fault);
    const settings = readSettings(name, properties);
    const now = this.#around.now();
    const present = this.#entries.get(name.toLowerCase());
    if (present) {
      present.row = { ...present.row, properties, updatedAt: now, nextSequence: present.queue.reservedTo };
      present.queue.change(settings);
      await this.#store.commit(() => this.#store.putQueue(present.row));
      return "updated";
    }
    const number = Math.max(0, ...[...this.#entries.values()].map(({ row }) => row.number)) + 1;
    const row = { number, name, properties, createdAt: now, updatedAt: now, nextSequence: 1 };
    this.#open(row);
    await this.#store.commit(() => this.#store.putQueue(row));
    return "created";
  }

  async delete(name: string): Promise<boolean> {
    const entry = this.#entries.get(name.toLowerCase());
    if (!entry) return false;
    this.#entries.delete(name.toLowerCase());
    entry.queue.close();
    this.onDeleted(entry.queue);
    await this.#store.commit(() => this.#store.deleteQueue(entry.row.number));
    return true;
  }

  tick(): void {
    for (const { queue } of this.#entries.values()) queue.tick();
  }

  close(): void {
    clearInterval(this.#ticking);
  }

  #open(row: QueueRow): Queue {
    const settings = readSettings(row.name, row.properties);
    const deadLetter = new Queue(this.#around, row.number, `${row.name}/$deadletterqueue`, settings, row.nextSequence);
    const queue = new Queue(this.#around, row.number, row.name, settings, row.nextSequence, deadLetter);
    this.#entries.set(row.name.toLowerCase(), { row, queue });
    return queue;
  }
}
