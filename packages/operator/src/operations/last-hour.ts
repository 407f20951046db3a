// The last hour in slots of two minutes: arrivals, completions, errors that nobody has handled, the oldest message and open breakers. Read at most once in half a minute.
import { instant } from "@scheduler-agent-supervisor/core/domain";
import { remembered } from "@scheduler-agent-supervisor/core/store";
import type { LastHour } from "../contract.ts";
import { MOST_JOBS } from "../domain/bulk.ts";
import type { HourCounts } from "../store/hour-counts.ts";
import type { Sample, SampleStore } from "../store/sample-store.ts";
import type { AttentionReader } from "./attention.ts";

export interface LastHourPorts {
  readonly counts: HourCounts;
  readonly attention: Pick<AttentionReader, "page">;
  readonly samples: Pick<SampleStore, "read">;
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
      const [taken, open] = await Promise.all([samples.read(), attention.page(undefined, 0, MOST_JOBS)]);
      const slots = await counts.all(at, taken.slots);
      const { slotMs } = counts;
      const from = slots[0]?.from ?? instant(at);
      const errors = slots.map(() => 0);
      const slotOf = (when: string) => Math.floor((Date.parse(when) - Date.parse(from)) / slotMs);
      for (const { error } of open.jobs) {
        const slot = slotOf(error.at);
        if (slot >= 0 && slot < errors.length) errors[slot] = (errors[slot] ?? 0) + 1;
      }
      const seen = Map.groupBy(taken.samples, (sample) => slotOf(sample.at));
      return {
        asOf: instant(at),
        from,
        slotMs,
        received: slots.map(({ received }) => received),
        processed: slots.map(({ processed }) => processed),
        errors,
        errorsAreAll: open.isAll,
        oldestMs: slots.map((_, slot) => oldestOf(seen.get(slot))),
        broken: slots.map((_, slot) => brokenOf(seen.get(slot))),
      };
    },
    KEPT_MS,
  ).read;
}
