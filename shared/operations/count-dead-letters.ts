// How many dead letters each queue has: one that can't be counted says why, and hides no other.
import type { DeadLetters } from "../messaging/dead-letters.ts";

export type DeadLetterCount =
  /** `isAll`: false where there are more than could be counted. */
  | { readonly queue: string; readonly count: number; readonly isAll: boolean }
  | { readonly queue: string; readonly error: string };

export function countDeadLetters(deadLetters: DeadLetters): Promise<DeadLetterCount[]> {
  return Promise.all(
    deadLetters.queues.map(async (queue): Promise<DeadLetterCount> => {
      try {
        return { queue: queue.name, ...(await deadLetters.count(queue)) };
      } catch (cause) {
        return { queue: queue.name, error: String(cause) };
      }
    }),
  );
}
