// Submission rights: a job's queue determines its owner, its allowed ids and its allowed reply queues (P1, P15).

import { check } from "../messaging/checked.ts";
import { jobId as jobIdSchema } from "../messaging/contract.ts";

/** A submission queue to which one sender alone has the right to send. */
export interface OwnedQueue {
  readonly queue: string;
  /** The sender. Several queues may belong to one. */
  readonly owner: string;
  /** All ids of the owner's jobs start with it, and no other sender's. */
  readonly idPrefix: string;
  /** The only reply queues for the owner's jobs; other senders cannot use them. */
  readonly replyQueues: readonly string[];
}

/** The queue's own entry; undefined for a queue that several senders share. */
export function entryOf(queue: string, owned: readonly OwnedQueue[]): OwnedQueue | undefined {
  return owned.find((entry) => entry.queue === queue);
}

/** The reason why a job from this queue may not have this id; undefined if it may. */
export function jobIdFault(jobId: string, queue: string, owned: readonly OwnedQueue[]): string | undefined {
  const own = entryOf(queue, owned);
  if (own) return jobId.startsWith(own.idPrefix) ? undefined : `must begin with ${own.idPrefix}`;
  const reserved = owned.find(({ idPrefix }) => jobId.toLowerCase().startsWith(idPrefix.toLowerCase()));
  return reserved && `ids that begin with ${reserved.idPrefix} are for another queue`;
}

/** A contract's schema may be looser than an id may be. */
export function idFaults(
  jobId: string,
  idName: string,
  queue: string | undefined,
  ownedQueues: readonly OwnedQueue[],
): readonly string[] {
  const checked = check(jobIdSchema, jobId, idName);
  if (checked.kind === "invalid") return checked.faults;
  const fault = queue && jobIdFault(jobId, queue, ownedQueues);
  return fault ? [`${idName}: ${fault}`] : [];
}

/** The same for a reply queue. Service Bus doesn't distinguish upper case from lower case in a queue's name. */
export function replyQueueFault(replyTo: string, queue: string, owned: readonly OwnedQueue[]): string | undefined {
  const own = entryOf(queue, owned);
  const isOneOf = ({ replyQueues }: OwnedQueue) => replyQueues.some((name) => isSameName(name, replyTo));
  if (own) return isOneOf(own) ? undefined : `must be one of ${own.replyQueues.join(", ")}`;
  return owned.some(isOneOf) ? "belongs to another queue" : undefined;
}

/** The faults by which two senders could not be distinguished. */
export function ownershipFaults(owned: readonly OwnedQueue[]): string[] {
  return owned.flatMap((one, index) =>
    owned.slice(index + 1).flatMap((other) => {
      if (isSameName(one.queue, other.queue)) return [`the queue ${one.queue} is there twice`];
      if (one.owner === other.owner) return [];
      const [shorter, longer] = [one.idPrefix.toLowerCase(), other.idPrefix.toLowerCase()].sort(
        (a, b) => a.length - b.length,
      );
      const shared = one.replyQueues.filter((name) => other.replyQueues.some((each) => isSameName(name, each)));
      return [
        ...(longer?.startsWith(shorter ?? "")
          ? [`${one.owner} and ${other.owner} can't be distinguished by ${one.idPrefix} and ${other.idPrefix}`]
          : []),
        ...shared.map((name) => `${one.owner} and ${other.owner} both have the reply queue ${name}`),
      ];
    }),
  );
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
