// The last hour in slots of two minutes: arrivals, completions, errors that nobody has handled, the oldest message and open breakers. Read at most once in half a minute.
import { instant } from "@scheduler-agent-supervisor/core/internal/scheduler/ports";
import { remembered } from "@scheduler-agent-supervisor/core/internal/store/remembered";
import { MOST_JOBS } from "../domain/bulk.ts";
import type { LastHour } from "../messaging/console-contract.ts";
import type { ReadHourCounts } from "../store/hour-counts.ts";
import type { Sample, SampleStore } from "../store/sample-store.ts";
import type { AttentionView } from "./attention.ts";

export interface LastHourPorts {
  readonly counts: ReadHourCounts;
  readonly attention: Pick<AttentionView, "page">;
  readonly samples: Pick<SampleStore, "all">;
  readonly now: () => number;
}

const KEPT_MS = 30_000;

type Seen = readonly Sample[] | undefined;

function oldestOf(samples: Seen): number | null {
  const ages = (samples ?? []).flatMap(({ oldestMs }) => oldestMs ?? []);
  return ages.length === 0 ? null : Math.max(...ages);
}

const brokenOf = (samples: Seen): string[] | null =>
  samples ? [...new Set(samples.flatMap(({ broken }) => broken))].sort() : null;

export function createLastHour({ counts, attention, samples, now }: LastHourPorts): () => Promise<LastHour> {
  return remembered(
    now,
    async (): Promise<LastHour> => {
      const at = now();
      const [{ received, processed, ...slots }, open, taken] = await Promise.all([
        counts(at),
        attention.page(undefined, 0, MOST_JOBS),
        samples.all(),
      ]);
      const errors = received.map(() => 0);
      const slotOf = (when: string) => Math.floor((Date.parse(when) - Date.parse(slots.from)) / slots.slotMs);
      for (const { error } of open.jobs) {
        const slot = slotOf(error.at);
        if (slot >= 0 && slot < errors.length) errors[slot] = (errors[slot] ?? 0) + 1;
      }
      const seen = Map.groupBy(taken, (sample) => slotOf(sample.at));
      const curves = {
        oldestMs: received.map((_, slot) => oldestOf(seen.get(slot))),
        broken: received.map((_, slot) => brokenOf(seen.get(slot))),
      };
      return { asOf: instant(at), ...slots, received: [...received], processed: [...processed], errors, ...curves };
    },
    KEPT_MS,
  ).read;
}
