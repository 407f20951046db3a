// What the gauges' timer saw in the last hour, for the overview's curves: one small document, replaced once a minute.
import { type Container, ErrorResponse } from "@azure/cosmos";
import type { SlotCount } from "./hour-counts.ts";

/** What nobody can count afterwards. */
export interface Sample {
  readonly at: string;
  /** The age of the oldest waiting message of all queues; null if one of them could not be read. */
  readonly oldestMs: number | null;
  /** The agents with an endpoint that gets no calls. */
  readonly broken: readonly string[];
}

/** What was noted of the last hour. */
interface Samples {
  /** The oldest first. */
  readonly samples: readonly Sample[];
  /** The slots that are over, so that no other process counts them again. */
  readonly slots: readonly SlotCount[];
  /** Undefined if nothing was noted yet. */
  readonly version?: string | undefined;
}

/** Each method throws if the store does not answer. */
export interface SampleStore {
  /** Where two processes take a sample at once, one of them is kept. */
  add(before: Samples, sample: Sample, slots: readonly SlotCount[]): Promise<void>;
  read(): Promise<Samples>;
}

interface Document {
  readonly samples: readonly Sample[];
  readonly slots: readonly SlotCount[];
  readonly _etag: string;
}

const ID = "last-hour";
/** No day has this name. */
const PARTITION = "samples";
const KEPT_MS = 3_600_000;
const LIFETIME_S = 7200;
const TAKEN: ReadonlySet<unknown> = new Set([409, 412]);

/** @param container its partition key is `/day`, and its documents have a time to live */
export function createCosmosSampleStore(container: Container): SampleStore {
  return {
    async add({ samples: before, version }, sample, slots) {
      const oldest = new Date(Date.parse(sample.at) - KEPT_MS).toISOString();
      const samples = [...before.filter(({ at }) => at >= oldest), sample];
      const document = { id: ID, day: PARTITION, samples, slots, ttl: LIFETIME_S };
      try {
        if (version === undefined) await container.items.create(document);
        else {
          const accessCondition = { type: "IfMatch", condition: version };
          await container.item(ID, PARTITION).replace(document, { accessCondition });
        }
      } catch (cause) {
        if (!(cause instanceof ErrorResponse && TAKEN.has(cause.code))) throw cause;
      }
    },
    async read() {
      const found = (await container.item(ID, PARTITION).read<Document>()).resource;
      if (!found) return { samples: [], slots: [] };
      return { samples: found.samples, slots: found.slots, version: found._etag };
    },
  };
}
