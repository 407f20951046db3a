// The messages that wait in the app's queues, by the cause of their wait: read at most once in ten seconds, for any number of operators.

import { instant, inWords } from "@scheduler-agent-supervisor/core/domain";
import { remembered } from "@scheduler-agent-supervisor/core/store";
import type { WaitingMessages } from "../contract.ts";
import type { QueueAge } from "../messaging/queue-ages.ts";

export interface WaitingMessagesPorts {
  readonly queueAges: readonly QueueAge[];
  readonly now: () => number;
}

const KEPT_MS = 10_000;

/** A queue that can't be read reports why, and the others are still read. */
export function createWaitingMessages({ queueAges, now }: WaitingMessagesPorts): () => Promise<WaitingMessages> {
  return remembered(
    now,
    async () => {
      const at = now();
      const queues = queueAges.map(async ({ queue, read }) => {
        try {
          const waits = (await read(at)).filter(({ ageMs }) => ageMs > 0);
          return { queue, waits: waits.map(({ cause, ageMs }) => ({ cause, since: instant(at - ageMs) })) };
        } catch (cause) {
          return { queue, error: inWords(cause) };
        }
      });
      return { asOf: instant(at), queues: await Promise.all(queues) };
    },
    KEPT_MS,
  ).read;
}

/** The longest wait in each queue, in milliseconds: 0 for an empty queue, null if it could not be read. */
export function oldestOf({ asOf, queues }: WaitingMessages): { queue: string; oldestMs: number | null }[] {
  return queues.map((each) => {
    if ("error" in each) return { queue: each.queue, oldestMs: null };
    const ages = each.waits.map(({ since }) => Date.parse(asOf) - Date.parse(since));
    return { queue: each.queue, oldestMs: Math.max(0, ...ages) };
  });
}
