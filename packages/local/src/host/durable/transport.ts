// The seam between turns and what carries messages: at once in memory, or through queues as Azure Storage does.

import { type HistoryEvent, taskCompleted, taskFailed } from "./history.ts";
import type { Arrival, Instance } from "./instance.ts";
import type { Orphan } from "./instance-store.ts";
import type { Work, WorkOutcome } from "./work.ts";

export interface Transport {
  /** Brings the first turn of an instance, or of its next generation. */
  start(instance: Instance, from?: Origin): void;
  /** Brings what happened to an instance to its next turn. */
  send(instance: Instance, arrival: Arrival, from?: Origin): void;
  timer(instance: Instance, scheduled: Scheduled, fireAt: number): void;
  work(instance: Instance, scheduled: Scheduled, work: Work): void;
  /** Does work again that a restart found without an end, and whose orchestration has ended. */
  adopt(orphan: Orphan, work: Work): void;
  /** Told that nobody waits for the open tasks of the instance any more. */
  clear(instance: Instance): void;
  /** Told of arrivals that no turn will take in. */
  drop(instance: Instance, arrivals: readonly Arrival[]): void;
  /** To be called inside `Database.write`, with what the turn that is written took in. */
  taken(instance: Instance, arrivals: readonly Arrival[]): void;
  /** Undefined: storage costs a turn nothing but the time that it takes. */
  readonly costs: TurnCosts | undefined;
  readonly counts: Readonly<Record<string, number>>;
  /** What a stop waits for, besides turns. */
  readonly inFlight: number;
  /** What a call of the client costs before it is answered. */
  client(method: string, path: string): Promise<void> | undefined;
  /** What has been added before is on its way from now on. */
  open(): void;
  /** Starts no activity any more; what runs may end. */
  hold(): void;
  /** Brings nothing more: no timer fires, no message is dequeued. Turns under way may end. */
  stop(): void;
  close(): void;
}

/** Who sends a message; the engine itself if absent. */
export type Origin = "engine" | "client";

/** Where a task stands in the history of its instance. */
export interface Scheduled {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What a turn waits for where storage takes its time. */
export interface TurnCosts {
  beforeTurn(): Promise<void>;
  /** @param outbound messages that the turn's commit sends on their way. */
  beforeCommit(outbound: number): Promise<void>;
  afterCommit(instance: Instance): Promise<void>;
}

/** What a transport hands to: the turns. */
export interface Receiver {
  /** The first turn is due. */
  begin(instance: Instance): void;
  /** False where the instance has no use for it: it has ended, or the task has ended before. */
  take(instance: Instance, arrival: Arrival): boolean;
  /** Forgets work that nobody waits for, now that it has ended. */
  forget(orphan: Orphan): Promise<void>;
}

export function completionOf(id: number, outcome: WorkOutcome): HistoryEvent {
  const at = new Date();
  return outcome.kind === "done"
    ? taskCompleted(at, id, outcome.result)
    : taskFailed(at, id, outcome.reason, outcome.details);
}
