// Auto-forwarding: where the messages of a queue go instead of staying.

import { BUS_LIMITS } from "../limits.ts";
import type { Arrivals } from "./arrivals.ts";
import { onward, type Passing, type PassingQueue } from "./passing.ts";

/** A message that has passed more entities than these is a dead letter (Service Bus documentation, "Chaining entities"). */
const MAX_HOPS = BUS_LIMITS.hops.value;

/** `undefined`: it may go there. A text says why not. */
export function findObstacle(
  target: PassingQueue | undefined,
  hops: number,
): { reason: string; description: string } | undefined {
  if (hops > MAX_HOPS) {
    const description = `The message was forwarded ${MAX_HOPS} times, and is not a further time.`;
    return { reason: "MaxTransferHopCountExceeded", description };
  }
  if (!target) return { reason: "ForwardingFailed", description: "The entity to forward to does not exist." };
  if (!target.settings.canSend)
    return { reason: "ForwardingFailed", description: "The entity to forward to is disabled." };
  return undefined;
}

/** What cannot be forwarded becomes a dead letter of the source. */
export class Forwarding {
  readonly #source: PassingQueue;
  readonly #find: () => PassingQueue | undefined;

  constructor(source: PassingQueue, find: () => PassingQueue | undefined) {
    this.#source = source;
    this.#find = find;
  }

  /** Plans what becomes of the message elsewhere. */
  pass(passing: Passing, arrivals: Arrivals): void {
    const target = this.#find();
    const hops = (passing.incoming.hops ?? 0) + 1;
    const obstacle = findObstacle(target, hops);
    if (obstacle) {
      const reason = { DeadLetterReason: obstacle.reason, DeadLetterErrorDescription: obstacle.description };
      this.#source.admitDead(onward(passing), reason, passing.now, arrivals);
    } else target?.admit({ ...onward(passing), hops }, passing.now, arrivals);
  }
}
