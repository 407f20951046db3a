// The reply queues that other hosts on this bus and store own: a host that has stopped reads its own no more, and nobody else would look there.

import { instant } from "@scheduler-agent-supervisor/core/domain";
import { remembered } from "@scheduler-agent-supervisor/core/store";
import type { OthersQueue } from "../domain/others-queue.ts";
import { isGone, type QueueAge } from "../messaging/queue-ages.ts";
import type { ReplyQueueRegister } from "../store/reply-queue-register.ts";

export interface ReplyQueuePorts {
  readonly register: ReplyQueueRegister;
  /** This app's, its own one first. */
  readonly own: readonly [string, ...string[]];
  readonly now: () => number;
}

export interface ReplyQueues {
  /** Tells other hosts of this app's. Throws if the store does not answer. */
  announce(): Promise<void>;
  /** Those of the other hosts. Throws if the store does not answer. */
  others(): Promise<readonly OthersQueue[]>;
}

/** A process announces its app's queues again after this time. */
export const ANNOUNCED_EVERY_MS = 3_600_000;
const KEPT_MS = 60_000;
/** The longest that a step may wait for its reply: after it nobody waits for what an app that is gone was sent. */
const OWNED_FOR_MS = 30 * 86_400_000;

export function createReplyQueues({ register, own, now }: ReplyQueuePorts): ReplyQueues {
  const known = remembered(now, () => register.all(), KEPT_MS);
  return {
    announce: () => register.write({ at: instant(now()), queues: own }),
    async others() {
      const inUseSince = instant(now() - 2 * ANNOUNCED_EVERY_MS);
      const ownedSince = instant(now() - OWNED_FOR_MS);
      const inUse = new Map<string, boolean>();
      for (const { at, queues } of (await known.read()).filter((owned) => owned.at > ownedSince))
        for (const queue of queues) inUse.set(queue, inUse.get(queue) === true || at > inUseSince);
      return [...inUse]
        .filter(([queue]) => !own.includes(queue))
        .map(([queue, isInUse]) => ({ queue, isInUse }))
        .sort((one, other) => one.queue.localeCompare(other.queue));
    },
  };
}

/** In the place of queues whose names could not be read. */
export const unknownQueues = (own: string): string => `${own} of other hosts`;

/** The ages of the app's queues, and of the other hosts' reply queues. Never throws: what is not known is a queue that can't be read. */
export function withOthers(
  own: readonly QueueAge[],
  { others }: Pick<ReplyQueues, "others">,
  { ageOf, name }: { readonly ageOf: (queue: string) => QueueAge; readonly name: string },
): () => Promise<readonly QueueAge[]> {
  const ages = new Map<string, QueueAge>();
  const known = (queue: string) => {
    const age = ages.get(queue) ?? ageOf(queue);
    ages.set(queue, age);
    return age;
  };
  return async () => {
    try {
      const found = await others();
      return [...own, ...found.map((one) => (one.isInUse ? known(one.queue) : ifThere(known(one.queue))))];
    } catch (cause) {
      return [...own, { queue: unknownQueues(name), read: () => Promise.reject(cause) }];
    }
  };
}

/** Its owner is gone, and the queue may be too: then nothing waits there. */
function ifThere({ queue, read }: QueueAge): QueueAge {
  return {
    queue,
    read: (now) =>
      read(now).catch((cause: unknown) => {
        if (isGone(cause)) return [];
        throw cause;
      }),
  };
}
