// The gauges' sign of life, in the metadata of a blob beside the supervisors' lease: to look at it costs the store nothing.
import { type ContainerClient, RestError } from "@azure/storage-blob";
import type { GaugesSign } from "../domain/gauges-freshness.ts";

export interface GaugesSigns {
  /** Throws if the storage does not answer. */
  write(sign: GaugesSign): Promise<void>;
  /** Undefined if there has been none. Throws if the storage does not answer. */
  read(): Promise<GaugesSign | undefined>;
}

const BLOB = "gauges";
const NOT_FOUND = 404;
/** Metadata have 8 KB in total, and a character may become nine. */
const FAULT_LIMIT = 300;

/** @param container created if absent */
export function createGaugesSigns(container: ContainerClient): GaugesSigns {
  const blob = container.getBlockBlobClient(BLOB);
  return {
    async write(sign) {
      const metadata = metadataOf(sign);
      try {
        await blob.upload("", 0, { metadata });
      } catch (cause) {
        if (!isAbsent(cause)) throw cause;
        await container.createIfNotExists();
        await blob.upload("", 0, { metadata });
      }
    },
    async read() {
      try {
        const { metadata: { at, next, failing, fault = "" } = {} } = await blob.getProperties();
        if (at === undefined) return undefined;
        const since = failing === undefined ? null : { since: failing, fault: decodeURIComponent(fault) };
        return { at, nextAt: next ?? null, failing: since };
      } catch (cause) {
        if (isAbsent(cause)) return undefined;
        throw cause;
      }
    },
  };
}

/** Metadata are HTTP headers: ASCII only. */
function metadataOf({ at, nextAt, failing }: GaugesSign): Record<string, string> {
  const fault = failing && encodeURIComponent(failing.fault.slice(0, FAULT_LIMIT).toWellFormed());
  return {
    at,
    ...(nextAt !== null && { next: nextAt }),
    ...(failing && { failing: failing.since, fault: fault ?? "" }),
  };
}

const isAbsent = (cause: unknown): boolean => cause instanceof RestError && cause.statusCode === NOT_FOUND;
