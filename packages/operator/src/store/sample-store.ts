// What the gauges' timer saw in the last hour, for the overview's curves: one small document, replaced once a minute.
import { type Container, ErrorResponse } from "@azure/cosmos";

/** What nobody can count afterwards. */
export interface Sample {
  readonly at: string;
  /** The age of the oldest waiting message of all queues; null if one of them could not be read. */
  readonly oldestMs: number | null;
  /** The agents with an endpoint that gets no calls. */
  readonly broken: readonly string[];
}

/** Each method throws if the store does not answer. */
export interface SampleStore {
  /** Where two processes take a sample at once, one of them is kept. */
  add(sample: Sample): Promise<void>;
  /** The oldest first. */
  all(): Promise<readonly Sample[]>;
}

interface Document {
  readonly samples: readonly Sample[];
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
  const read = async () => (await container.item(ID, PARTITION).read<Document>()).resource;
  return {
    async add(sample) {
      const found = await read();
      const oldest = new Date(Date.parse(sample.at) - KEPT_MS).toISOString();
      const samples = [...(found?.samples ?? []).filter(({ at }) => at >= oldest), sample];
      const document = { id: ID, day: PARTITION, samples, ttl: LIFETIME_S };
      try {
        if (!found) await container.items.create(document);
        else {
          const accessCondition = { type: "IfMatch", condition: found._etag };
          await container.item(ID, PARTITION).replace(document, { accessCondition });
        }
      } catch (cause) {
        if (!(cause instanceof ErrorResponse && TAKEN.has(cause.code))) throw cause;
      }
    },
    all: async () => (await read())?.samples ?? [],
  };
}
