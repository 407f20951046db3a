// The last hour in slots of two minutes: arrivals, completions, and errors that nobody has handled. Read at most once in half a minute.
import { instant } from "@scheduler-agent-supervisor/core/internal/scheduler/ports";
import { remembered } from "@scheduler-agent-supervisor/core/internal/store/remembered";
import { MOST_JOBS } from "../domain/bulk.ts";
import type { LastHour } from "../messaging/console-contract.ts";
import type { ReadHourCounts } from "../store/hour-counts.ts";
import type { AttentionView } from "./attention.ts";

export interface LastHourPorts {
  readonly counts: ReadHourCounts;
  readonly attention: Pick<AttentionView, "page">;
  readonly now: () => number;
}

const KEPT_MS = 30_000;

export function createLastHour({ counts, attention, now }: LastHourPorts): () => Promise<LastHour> {
  return remembered(
    now,
    async (): Promise<LastHour> => {
      const at = now();
      const [{ received, processed, ...slots }, open] = await Promise.all([
        counts(at),
        attention.page(undefined, 0, MOST_JOBS),
      ]);
      const errors = received.map(() => 0);
      for (const { error } of open.jobs) {
        const slot = Math.floor((Date.parse(error.at) - Date.parse(slots.from)) / slots.slotMs);
        if (slot >= 0 && slot < errors.length) errors[slot] = (errors[slot] ?? 0) + 1;
      }
      return { asOf: instant(at), ...slots, received: [...received], processed: [...processed], errors };
    },
    KEPT_MS,
  ).read;
}
