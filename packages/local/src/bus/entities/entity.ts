// A queue as a whole: its description and what serves it.

import { Forwarding } from "../queue/forwarding.ts";
import { Queue, type QueueCounts } from "../queue/queue.ts";
import { type ArmProperties, readSettings } from "../queue/queue-settings.ts";
import type { Store } from "../queue/store.ts";
import type { Surroundings } from "../queue/surroundings.ts";
import type { EntityRow } from "./entity-store.ts";

/** What an entity is to be: made anew, or set. */
export interface EntityChange {
  readonly path: string;
  readonly properties: ArmProperties;
}

export class Entity {
  row: EntityRow;
  readonly queue: Queue;
  readonly #around: Surroundings;

  constructor(row: EntityRow, around: Surroundings) {
    this.row = row;
    this.#around = around;
    const { number, name, nextSequence, properties } = row;
    const settings = readSettings(name, properties);
    const identity = { number, nextSequence };
    const deadLetter = new Queue(around, { ...identity, name: `${name}/$deadletterqueue` }, settings);
    this.queue = new Queue(around, { ...identity, name }, settings, deadLetter);
  }

  /** Reads back what it holds. */
  restore(store: Store): void {
    const { number } = this.row;
    this.queue.restore(store.messages(number), store.duplicates(number));
  }

  /** Makes the settings in its row hold. Not before all entities are there, as messages may go to others at once. */
  apply(): void {
    const settings = readSettings(this.row.name, this.row.properties);
    this.queue.change(settings, this.#forwarding(settings.forwardTo));
  }

  count(): QueueCounts {
    return this.queue.count();
  }

  #forwarding(to: string | undefined): Forwarding | undefined {
    return to === undefined ? undefined : new Forwarding(this.queue, () => this.#around.find(to));
  }
}
