// What every order has, whatever its business: the scheduler carries the rest and never reads it.
import { canonicalJson } from "./canonical-json.ts";

export type Priority = "normal" | "high";

/** The content of an order, of which the core knows no more than this, and its id: see noun.ts. */
export interface Order {
  /** The name of the workflow that fulfils it. */
  readonly workflow: string;
  readonly priority: Priority;
}

/** What the message around an order says of its sender (P15). */
export interface ReplyAddress {
  /** The submitting application's private reply queue. */
  readonly replyTo: string | null;
  /** The session that it listens to there, where the queue has sessions. */
  readonly replyToSessionId: string | null;
  /** The request's own correlation id, which every status message carries. */
  readonly correlationId: string;
}

/** What stands in the place of a secret that was removed. */
export const REMOVED = "(removed)";

/** What stands in the place of a secret for whoever may not see it. Sent back, it means the secret that is stored. */
export const HIDDEN = "(hidden)";

type Members = { readonly [name: string]: unknown };
const membersOf = (order: Order) => order as unknown as Members;

/** As those see it who may not see its secrets; that one was removed is none. */
export function withHiddenSecrets<Content extends Order>(order: Content, secrets: readonly string[]): Content {
  const hidden = secrets.flatMap((name) => (membersOf(order)[name] === REMOVED ? [] : [[name, HIDDEN]]));
  return { ...order, ...Object.fromEntries(hidden) };
}

/** The edit of an order by somebody who may not have seen its secrets: those that were not edited stay as they are stored. */
export function keepingHiddenSecrets(edited: Order, stored: Order, secrets: readonly string[]): Order {
  const kept = secrets.flatMap((name) => (hides(edited, name) ? [[name, membersOf(stored)[name]]] : []));
  return { ...edited, ...Object.fromEntries(kept) };
}

export function hides(order: Order, secret: string): boolean {
  return membersOf(order)[secret] === HIDDEN;
}

export function withoutSecrets<Content extends Order>(order: Content, secrets: readonly string[]): Content {
  return { ...order, ...Object.fromEntries(secrets.map((name) => [name, REMOVED])) };
}

export function lacksSecrets(order: Order, secrets: readonly string[]): boolean {
  return secrets.some((name) => membersOf(order)[name] === REMOVED);
}

/** Whether two submissions under one order id ask for the same thing, whatever the order of their members. */
export function sameOrder(one: Order, other: Order): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** The same for one that is stored already: what was removed from it can't be compared. */
export function sameAsStored(stored: Order, submitted: Order, secrets: readonly string[]): boolean {
  return sameOrder(stored, lacksSecrets(stored, secrets) ? withoutSecrets(submitted, secrets) : submitted);
}
