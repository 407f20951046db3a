// Where messages go instead of staying: on to another entity, or from a topic to its subscriptions.

import { BUS_LIMITS } from "../limits.ts";
import type { SubscriptionRules } from "../rules/subscription-rules.ts";
import type { Arrivals } from "./arrivals.ts";
import { onward, type Passing, type PassingQueue } from "./passing.ts";

/** A message that has passed more entities than these is a dead letter (Service Bus documentation, "Chaining entities"). */
const MAX_HOPS = BUS_LIMITS.hops.value;

export interface Outlet {
  /** Plans what becomes of the message elsewhere. */
  pass(passing: Passing, arrivals: Arrivals): void;
}

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

/** Auto-forwarding from a queue or a subscription. What cannot be forwarded becomes a dead letter of the source. */
export class Forwarding implements Outlet {
  readonly #source: PassingQueue;
  readonly #find: () => PassingQueue | undefined;

  constructor(source: PassingQueue, find: () => PassingQueue | undefined) {
    this.#source = source;
    this.#find = find;
  }

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

export interface Subscription {
  readonly queue: PassingQueue;
  readonly rules: SubscriptionRules;
}

/** From a topic to those of its subscriptions that select the message. */
export class Distribution implements Outlet {
  readonly subscriptions = new Map<string, Subscription>();

  pass(passing: Passing, arrivals: Arrivals): void {
    for (const { queue, rules } of this.subscriptions.values()) {
      const selected = rules.select(passing);
      if (selected.kind === "copies") {
        for (const copy of selected.copies) queue.admit(copy, passing.now, arrivals);
      } else if (queue.settings.deadLetterOnFilterFault) {
        const reason = { DeadLetterReason: "FilterEvaluationFault", DeadLetterErrorDescription: selected.fault };
        queue.admitDead(onward(passing), reason, passing.now, arrivals);
      }
    }
  }
}
