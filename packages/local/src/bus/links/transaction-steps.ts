// What can be done within a transaction: send messages, and settle one that is held.
import type { Incoming } from "../encoded/encoded-message.ts";
import type { Lock } from "../encoded/message.ts";
import type { Queue } from "../queue/queue.ts";
import type { Settlement } from "../queue/settlement.ts";
import { findRefusal } from "./link-refusals.ts";
import type { Step } from "./transactions.ts";

export function sendStep(queue: Queue, incoming: readonly Incoming[]): Step {
  return {
    messages: incoming.length,
    findObstacle: () => (queue.isClosed ? `'${queue.name}' was deleted.` : findRefusal(queue, "send")?.description),
    apply: () => queue.send(incoming),
    undo: () => {},
  };
}

/** The lock goes on while the transaction is open; who holds it cannot settle it in another way. */
export function settleStep(queue: Queue, lock: Lock, settle: () => Settlement | Promise<Settlement>): Step {
  lock.isEnlisted = true;
  return {
    findObstacle: () => (queue.holds(lock) ? undefined : `The lock on a message of '${queue.name}' has expired.`),
    apply: () => {
      lock.isEnlisted = false;
      return Promise.resolve(settle());
    },
    undo: () => {
      lock.isEnlisted = false;
    },
  };
}
