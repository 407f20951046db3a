// Counts each queue's dead letters, with their causes and age: a queue that can't be read reports why, and the others are still counted.
import { inWords } from "@scheduler-agent-supervisor/core/domain";
import type { DeadLetterSummary, DeadLetters } from "../messaging/dead-letters.ts";
import { messageCauseOf, reasonOf } from "./dead-letter-causes.ts";

interface Waiting {
  readonly count: number;
  /** The arrival of the oldest; null if no message contains one. */
  readonly oldestAt: string | null;
}

interface DeadLetterCause extends Waiting {
  /** One message's unchanged reason; null for messages without a reason, and for all causes beyond the limit. */
  readonly cause: string | null;
}

export type DeadLetterCount =
  /** `isAll`: false if there are more than could be counted. */
  | (Waiting & { readonly queue: string; readonly isAll: boolean; readonly causes: readonly DeadLetterCause[] })
  | { readonly queue: string; readonly error: string };

/** The number of causes of a queue that are shown, the most frequent first. */
const MOST_CAUSES = 5;

export async function countDeadLetters(deadLetters: DeadLetters): Promise<DeadLetterCount[]> {
  return Promise.all(
    deadLetters.queues.map(async (queue): Promise<DeadLetterCount> => {
      try {
        const { messages, isAll } = await deadLetters.all(queue);
        return { queue: queue.name, ...waiting(messages), isAll, causes: causesOf(messages) };
      } catch (cause) {
        return { queue: queue.name, error: inWords(cause) };
      }
    }),
  );
}

function waiting(messages: readonly DeadLetterSummary[]): Waiting {
  const [oldest = null] = messages.flatMap(({ enqueuedAt }) => enqueuedAt ?? []).sort();
  return { count: messages.length, oldestAt: oldest };
}

/** Grouped as jobs are: reasons that differ only in numbers and ids are one cause. */
function causesOf(messages: readonly DeadLetterSummary[]): DeadLetterCause[] {
  const groups = new Map<string | null, DeadLetterSummary[]>();
  for (const message of messages) {
    const cause = messageCauseOf(message);
    const members = groups.get(cause);
    if (members) members.push(message);
    else groups.set(cause, [message]);
  }
  const named = [...groups]
    .flatMap(([cause, members]) => (cause === null ? [] : [members]))
    .sort((one, other) => other.length - one.length);
  const rest = [...(groups.get(null) ?? []), ...named.slice(MOST_CAUSES).flat()];
  const shown = named
    .slice(0, MOST_CAUSES)
    .map((members) => ({ cause: members[0] ? reasonOf(members[0]) : null, ...waiting(members) }));
  return rest.length > 0 ? [...shown, { cause: null, ...waiting(rest) }] : shown;
}
