// Addresses for reports that a read did not know: the read may be stale, so "nobody waits" is only said once that can't be the reason.
import { createHash } from "node:crypto";

/** A read in another region, or of another session, is behind by less. */
const STALE_FOR_MS = 20_000;
/** Longer than whoever reports waits between two tries. */
const KEPT_FOR_MS = 3_600_000;
/** More are forgotten, the oldest first: then the caller has to ask again once more. About 1 MB. */
const MOST = 10_000;

export interface DoubtedAddresses {
  /**
   * Whether an unknown address may still be one that was only just given to somebody. What is kept of it does not depend on its length.
   * @param now milliseconds since 1970
   */
  mayBeNew(address: string, now: number): boolean;
}

/** Of one process. Another one asks for one more try. */
export function createDoubtedAddresses(most = MOST): DoubtedAddresses {
  /** When each was first asked for, the oldest first. */
  const since = new Map<string, number>();
  return {
    mayBeNew(address, now) {
      for (const [oldest, at] of since) {
        if (now - at < KEPT_FOR_MS) break;
        since.delete(oldest);
      }
      const digest = createHash("sha256").update(address).digest("base64");
      const known = since.get(digest);
      if (known !== undefined) return now - known < STALE_FOR_MS;
      for (const oldest of since.keys()) {
        if (since.size < most) break;
        since.delete(oldest);
      }
      since.set(digest, now);
      return true;
    },
  };
}
