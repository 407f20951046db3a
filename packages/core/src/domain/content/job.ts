// The common members of every job, in any business: the scheduler carries the rest and never reads it.

import { canonicalJson } from "./exact-json.ts";

/** A `high` job has a queue of its own, and gets free capacity of an endpoint before a `normal` one. */
export type Priority = "normal" | "high";

/** The members of a job's content that the core uses, beside its id: its contract names that. */
export interface Job {
  /** The name of its workflow. */
  readonly workflow: string;
  readonly priority: Priority;
}

/** What the message around a job says of its sender (P15). */
export interface ReplyAddress {
  /** The submitting application's private reply queue. */
  readonly replyTo: string | null;
  /** The session that it listens to there, where the queue has sessions. */
  readonly replyToSessionId: string | null;
  /** The request's own correlation id, which every status message carries. */
  readonly correlationId: string;
}

/**
 * Other numbers by which people find a job, such as an invoice number, by name. They must not be personal data. An e-mail
 * address is not allowed; neither is its hash, because all addresses can be tried.
 */
export type BusinessKeys = { readonly [name: string]: string };

/** The statuses that a requester wants (P15). `all`: every status. `end`: only the end, which saves one message for each step. */
export const WANTED = ["all", "end"] as const;
export type WantedStatuses = (typeof WANTED)[number];

/** Replaces a secret that was removed. */
export const REMOVED = "(removed)";

/** Replaces a secret for an operator who may not see it. If it is sent back, it stands for the stored secret. */
export const HIDDEN = "(hidden)";

type Members = { readonly [name: string]: unknown };
const membersOf = (job: Job) => job as unknown as Members;

/** The content for operators who may not see its secrets; a removed secret is shown as removed. */
export function withHiddenSecrets<Content extends Job>(job: Content, secrets: readonly string[]): Content {
  const hidden = secrets.flatMap((name) => (membersOf(job)[name] === REMOVED ? [] : [[name, HIDDEN]]));
  return { ...job, ...Object.fromEntries(hidden) };
}

/** The edit of a job by an operator who may not have seen its secrets: unedited secrets keep their stored value. */
export function keepingHiddenSecrets(edited: Job, stored: Job, secrets: readonly string[]): Job {
  const kept = secrets.flatMap((name) => (hides(edited, name) ? [[name, membersOf(stored)[name]]] : []));
  return { ...edited, ...Object.fromEntries(kept) };
}

export function hides(job: Job, secret: string): boolean {
  return membersOf(job)[secret] === HIDDEN;
}

export function withoutSecrets<Content extends Job>(job: Content, secrets: readonly string[]): Content {
  return { ...job, ...Object.fromEntries(secrets.map((name) => [name, REMOVED])) };
}

export function lacksSecrets(job: Job, secrets: readonly string[]): boolean {
  return secrets.some((name) => membersOf(job)[name] === REMOVED);
}

/** Whether two submissions under one job id request the same job, in whatever sequence their members are. */
export function sameJob(one: Job, other: Job): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** The same for a stored job: members that were removed from it can't be compared. */
export function sameAsStored(stored: Job, submitted: Job, secrets: readonly string[]): boolean {
  return sameJob(stored, lacksSecrets(stored, secrets) ? withoutSecrets(submitted, secrets) : submitted);
}
