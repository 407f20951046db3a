// What all queues of a broker share: store, clock, counters.
import type { BodyCache } from "./body-cache.ts";
import type { PassingQueue } from "./passing.ts";
import type { Store } from "./store.ts";

export interface OperationCounts {
  sends: number;
  deliveries: number;
  completes: number;
  abandons: number;
  deadLetters: number;
  renews: number;
  connections: number;
}

export interface Surroundings {
  readonly store: Store;
  readonly bodies: BodyCache;
  readonly counts: OperationCounts;
  now(): number;
  newDuplicateId(): number;
  /** The queue with this path. */
  find(address: string): PassingQueue | undefined;
}
