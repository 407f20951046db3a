// Submission rights: a job's queue determines its owner, its allowed ids and its allowed reply queues (P1, P15).

import { z } from "zod";
import { check, faultsOf } from "../messaging/checked.ts";
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

/** The characters allowed in a function's name: the trigger of each queue is named after it. */
const queueName = z.string().regex(/^[a-z][a-z0-9-]{0,99}$/, "must be lower-case letters, digits and -");

const entry = z.strictObject({
  queue: queueName,
  owner: z.string().regex(/^[a-z][a-z0-9-]{0,59}$/, "must be lower-case letters, digits and -"),
  idPrefix: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, "must be the beginning of a job id, of at most 40 characters"),
  replyQueues: z.array(queueName).min(1),
}) satisfies z.ZodType<OwnedQueue>;

/** The setting that lists the submission queues of one sender each, generated from infra/entities/service-bus.json. */
export const ownedQueues = listSetting<OwnedQueue>(entry, ownershipFaults);

/**
 * A setting that is a list, as JSON: checked as a whole; the error names every fault.
 * @param faultsBetween the faults between entries that are each valid
 */
function listSetting<T>(entry: z.ZodType<T>, faultsBetween: (list: readonly T[]) => string[]) {
  return z
    .string()
    .default("[]")
    .transform((text, context): readonly T[] => {
      const parsed = z.array(entry).safeParse(jsonIn(text));
      const faults = parsed.success ? faultsBetween(parsed.data) : faultsOf(parsed.error, "the list");
      for (const message of faults) context.addIssue({ code: "custom", message });
      return parsed.success ? parsed.data : [];
    });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
