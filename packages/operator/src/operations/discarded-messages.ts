// Messages that operators discarded: shown for some days, and sent again by an operator who still needs one.

import { inWords } from "@scheduler-agent-supervisor/core/domain";
import type { Context } from "@scheduler-agent-supervisor/core/scheduling";
import type { DiscardedCopy } from "../domain/message-copy.ts";
import type { DeadLetterSummary, Edit, ReadDeadLetter } from "../messaging/dead-letters.ts";
import type { DiscardedPosition } from "../store/discarded-store.ts";
import { DeadLetterEntry } from "./dead-letter-entry.ts";
import { corrected, type DeadLetterPorts } from "./handle-dead-letter.ts";

type Discarding = Pick<DiscardedCopy, "id" | "queue" | "at" | "by" | "why" | "keptUntil">;
export type ShownDiscarded = Discarding & { readonly message: DeadLetterSummary };

export type ResentDiscarded =
  | { readonly kind: "resent"; readonly target: string; readonly messageId: string }
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "not-found" };

export async function listDiscarded(
  limit: number,
  after: DiscardedPosition | undefined,
  { discarded: store, deadLetters }: DeadLetterPorts,
): Promise<{ readonly discarded: readonly ShownDiscarded[]; readonly next?: DiscardedPosition }> {
  const { discarded, next } = await store.page(limit, after);
  const shown = discarded.map((one) => {
    const message = { ...deadLetters.summaryOf(one.copy), jobId: one.jobId };
    return { ...discardingOf(one), message };
  });
  return { discarded: shown, ...(next && { next }) };
}

export async function readDiscarded(
  id: string,
  { discarded, deadLetters }: DeadLetterPorts,
): Promise<(Discarding & { readonly message: ReadDeadLetter }) | undefined> {
  const found = await discarded.read(id);
  return found && { ...discardingOf(found), message: deadLetters.letterOf(found.copy) };
}

function discardingOf({ id, queue, at, by, why, keptUntil }: DiscardedCopy): Discarding {
  return { id, queue, at, by, why, keptUntil };
}

/**
 * Order of effects: the message is sent to the queue, then the copy is removed, then the audit log is written. If it is requested again after a
 * crash in between, the message has the same id.
 */
export async function resendDiscarded(
  id: string,
  { reason, edit }: { readonly reason: string; readonly edit?: Edit },
  operator: string,
  context: Context<DeadLetterPorts>,
): Promise<ResentDiscarded> {
  const { discarded, deadLetters } = context;
  const found = await discarded.read(id);
  if (!found) return { kind: "not-found" };
  const { queue: name, copy } = found;
  const about = {
    queue: name,
    sequenceNumber: copy.sequenceNumber,
    action: "resendDiscarded",
    reason,
    operator,
  } as const;
  const entry = new DeadLetterEntry(about, context);
  const message = deadLetters.letterOf(copy);
  const rejected = async (why: string): Promise<ResentDiscarded> => {
    await entry.write(message, `rejected: ${why}`);
    return { kind: "rejected", reason: why };
  };
  const queue = deadLetters.queues.find((one) => one.name === name);
  if (!queue) return rejected(`the app has no queue ${name} any more`);
  const correction = edit && corrected(message.body, edit);
  if (typeof correction === "string") return rejected(correction);
  const sent = await deadLetters.resend(queue, copy, correction).catch(async (cause: unknown) => {
    await entry.write(message, `failed: ${inWords(cause)}`);
    throw cause;
  });
  if (sent.kind === "rejected") return rejected(sent.reason);
  const { target, messageId } = sent;
  await discarded.remove(id);
  await entry.write(message, `resent to ${target} as ${messageId}${correction ? ", with another body" : ""}`);
  return { kind: "resent", target, messageId };
}
