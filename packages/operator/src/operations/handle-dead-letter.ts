// An operator's action on a dead letter: sends it again, unchanged or corrected, or removes it. Each action is in the audit log.

import { HIDDEN, instant, inWords } from "@scheduler-agent-supervisor/core/domain";
import type { Context, Ports } from "@scheduler-agent-supervisor/core/scheduling";
import { applyPatch, hides } from "../domain/merge-patch.ts";
import type { DeadLetterRequest } from "../messaging/dead-letter-request.ts";
import type {
  Correction,
  DeadLetterBody,
  DeadLetterQueue,
  DeadLetters,
  Edit,
  ReadDeadLetter,
  TakenDeadLetter,
} from "../messaging/dead-letters.ts";
import { DISCARDED_KEPT_MS, type DiscardedStore, discardedId } from "../store/discarded-store.ts";
import { DeadLetterEntry } from "./dead-letter-entry.ts";

export interface DeadLetterPorts extends Pick<Ports, "now" | "supervision" | "rules"> {
  readonly deadLetters: DeadLetters;
  readonly discarded: DiscardedStore;
}

export type Handled =
  /** `removed`: false if its lock was lost, so that it is still there. If it is sent again from there, it has the same message id. */
  | { readonly kind: "resent"; readonly target: string; readonly messageId: string; readonly removed: boolean }
  /** Its copy has this id, and is kept until then. */
  | { readonly kind: "discarded"; readonly id: string; readonly keptUntil: string }
  | { readonly kind: "not-found" }
  | { readonly kind: "rejected"; readonly reason: string };

/**
 * Order of effects: a resent message is in its queue before the original is removed. A discarded one is copied, and recorded in the audit log,
 * before it is removed. After a crash in between the original is still there; a second copy of a resent one has the same message id and the same
 * content, and its receiver is idempotent.
 */
export async function handleDeadLetter(
  queue: DeadLetterQueue,
  sequenceNumber: string,
  request: DeadLetterRequest,
  operator: string,
  context: Context<DeadLetterPorts>,
): Promise<Handled> {
  const about = { queue: queue.name, sequenceNumber, action: NAMES[request.action], reason: request.reason, operator };
  const entry = new DeadLetterEntry(about, context);
  const taken = await context.deadLetters.take(queue, sequenceNumber, (letter) =>
    request.action === "resend"
      ? resend(letter, request, entry)
      : discard(letter, queue, { by: operator, why: request.reason }, entry, context),
  );
  switch (taken.kind) {
    case "taken":
      return taken.value;
    case "not-found":
      return taken;
    case "in-use":
      return rejected(entry, "somebody else has it under a lock: try again in a minute");
    case "too-deep":
      return rejected(entry, `more than ${taken.before} messages are before it: see to those first`);
    default:
      return taken satisfies never;
  }
}

const isObject = (value: unknown): boolean => value !== null && typeof value === "object" && !Array.isArray(value);

/** The body that is sent in place of a message's own; why none is, if it is a text. */
export function corrected(own: DeadLetterBody, edit: Edit): Correction | string {
  if (hides(edit)) {
    return `${HIDDEN} stands for what is not shown to you: give what changes as a patch, and no list that has it`;
  }
  if ("body" in edit) return edit;
  if (own.kind !== "json" || !isObject(own.json)) return "its body is no JSON object: it can't be edited by a patch";
  return { body: applyPatch(own.json, edit.patch) };
}

async function resend(letter: TakenDeadLetter, { edit }: DeadLetterRequest, entry: DeadLetterEntry): Promise<Handled> {
  const correction = edit && corrected(letter.message.body, edit);
  if (typeof correction === "string") return rejected(entry, correction, letter.message);
  const sent = await letter.resend(correction).catch(async (cause: unknown) => {
    await entry.write(letter.message, `failed: ${inWords(cause)}`);
    throw cause;
  });
  if (sent.kind === "rejected") return rejected(entry, sent.reason, letter.message);
  const { messageId } = sent;
  const removed = await letter.complete();
  const what = `resent to ${letter.target} as ${messageId}${correction ? ", with another body" : ""}`;
  await entry.write(letter.message, removed ? what : `${what}; the original is still there`);
  return { kind: "resent", target: letter.target, messageId, removed };
}

/** A removed message is in the audit log, and can be sent again for some days. Otherwise it is not removed. */
async function discard(
  letter: TakenDeadLetter,
  { name: queue }: DeadLetterQueue,
  who: { readonly by: string; readonly why: string },
  entry: DeadLetterEntry,
  { discarded, now }: DeadLetterPorts,
): Promise<Handled> {
  const { copy, message } = letter;
  const id = discardedId(queue, copy.sequenceNumber);
  const [at, keptUntil] = [instant(now()), instant(now() + DISCARDED_KEPT_MS)];
  const kept = await discarded.keep({ ...who, id, queue, at, keptUntil, jobId: message.jobId, copy });
  if (kept === "too-large") {
    return rejected(entry, "no copy of it can be kept: it is larger than the store takes", message);
  }
  const remains = async (reason: string): Promise<Handled> => {
    await discarded.remove(id);
    return { kind: "rejected", reason };
  };
  if (!(await entry.write(message, "discarded"))) {
    return remains("the audit log can't be written, and nothing is removed without an entry there");
  }
  if (await letter.complete()) return { kind: "discarded", id, keptUntil };
  await entry.write(message, "not discarded: its lock was lost");
  return remains("its lock was lost: it is still there");
}

async function rejected(entry: DeadLetterEntry, reason: string, message?: ReadDeadLetter): Promise<Handled> {
  await entry.write(message, `rejected: ${reason}`);
  return { kind: "rejected", reason };
}

const NAMES = { resend: "resendDeadLetter", discard: "discardDeadLetter" } as const;
