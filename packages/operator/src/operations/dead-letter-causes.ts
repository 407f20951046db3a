// The messages of a queue that could not be processed, in groups by their cause, with the number of each message.
import { createHash } from "node:crypto";
import type { DeadLetterCauses } from "../contract.ts";
import { fingerprintOf } from "../domain/fingerprint.ts";
import type { DeadLetterQueue, DeadLetterSummary, DeadLetters } from "../messaging/dead-letters.ts";

/** The largest group first. Messages without a reason are one group. */
export async function groupDeadLetters(
  queue: DeadLetterQueue,
  deadLetters: Pick<DeadLetters, "all">,
): Promise<DeadLetterCauses> {
  const { messages, isAll } = await deadLetters.all(queue);
  const groups = Map.groupBy(messages, messageCauseOf);
  const causes = [...groups].map(([fingerprint, members]) => ({
    id: idOf(fingerprint),
    cause: members[0] ? reasonOf(members[0]) : null,
    count: members.length,
    oldestAt: members.flatMap(({ enqueuedAt }) => enqueuedAt ?? []).sort()[0] ?? null,
    numbers: members.map(({ sequenceNumber }) => sequenceNumber),
  }));
  return { queue: queue.name, isAll, causes: causes.sort((one, other) => other.count - one.count) };
}

export const reasonOf = ({ reason, description }: DeadLetterSummary): string | null => reason ?? description;

/** Null for a message without a reason. */
export const messageCauseOf = (message: DeadLetterSummary): string | null =>
  fingerprintOf(reasonOf(message) ?? "", [message.jobId, message.messageId, message.correlationId]);

const idOf = (fingerprint: string | null): string =>
  createHash("sha256")
    .update(fingerprint ?? "")
    .digest("hex")
    .slice(0, 16);
