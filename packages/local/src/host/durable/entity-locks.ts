// Locks of entities: one orchestration holds an entity for itself, and what others ask of it waits.
// As in the Durable extension a request to lock goes from entity to entity, in one order for all, so that none waits in a circle.
import type { Caller, EntityStore, PendingRequest } from "./entity-store.ts";
import { eventRaised } from "./history.ts";
import { accept, type Delivery, type LiveInstances } from "./instance.ts";
import type { Store } from "./store.ts";

export interface LockParts {
  readonly entities: EntityStore;
  readonly store: Store;
  readonly live: LiveInstances;
}

/** What follows from a lock: the next entity to lock, or the answer that all are locked. */
export interface Acquired {
  readonly next?: string;
  readonly answer?: Delivery;
}

/** The orchestration gets its own lock object back, whatever this says. */
const ANSWER = JSON.stringify({ result: JSON.stringify("Lock Acquisition Completed") });

export class EntityLocks {
  readonly #parts: LockParts;
  /** Most apps lock nothing: then the end of an orchestration costs no query. */
  #used: boolean;

  constructor(parts: LockParts) {
    this.#parts = parts;
    this.#used = parts.entities.locks().length > 0;
  }

  /** Whoever holds the entity now: a lock ends with the orchestration that holds it, or that goes on as new. */
  holder(id: string): Caller | undefined {
    if (!this.#used) return undefined;
    const lock = this.#parts.entities.locks().find(({ entity }) => entity === id);
    return lock && this.#parts.live.waiting(lock.holder) ? lock.holder : undefined;
  }

  /** The entities that an orchestration leaves locked. */
  leftBy({ int }: Pick<Caller, "int">): string[] {
    if (!this.#used) return [];
    return this.#parts.entities.locks().flatMap(({ entity, holder }) => (holder.int === int ? [entity] : []));
  }

  /** To be called inside `Database.write`. */
  acquire(id: string, { n, request, caller }: PendingRequest, at: Date): Acquired {
    const { entities, store, live } = this.#parts;
    entities.removeRequest(n);
    const asker = live.waiting(caller);
    if (!asker || !caller) return {};
    entities.lock(id, caller);
    this.#used = true;
    const locked = (request.locked ?? 0) + 1;
    const next = request.lockSet?.[locked];
    if (next !== undefined) {
      entities.addRequest(next, { ...request, locked }, caller);
      return { next };
    }
    return { answer: { to: asker, arrival: accept(store, asker, eventRaised(at, request.id, ANSWER)) } };
  }
}
