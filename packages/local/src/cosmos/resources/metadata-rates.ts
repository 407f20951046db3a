// Holds requests for metadata to the rates of an account: what is beyond them gets a 429 that says to wait.
import type { Limit } from "../../limit.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { fault, type Reply } from "../request.ts";

interface Rate {
  readonly limit: Limit;
  readonly withinMs: number;
  readonly kinds: readonly string[];
  /** When each request came that still counts, the first one first. */
  readonly counted: number[];
}

const FIVE_MINUTES_MS = 5 * 60_000;
const SECOND_MS = 1000;
/** Clients wait as long as they are told, however little time they give themselves: minutes would be a hang, and no error. */
const LONGEST_WAIT_MS = 1000;
const CREATIONS = ["databaseCreate", "containerCreate"];
const READS = ["databaseRead", "databaseList", "containerRead", "containerList"];
const OTHERS = ["databaseDelete", "containerDelete", "containerReplace", "keyRanges"];

export class MetadataRates {
  readonly #now: () => number;
  readonly #rates: readonly Rate[] = [
    { limit: COSMOS_LIMITS.creations, withinMs: FIVE_MINUTES_MS, kinds: CREATIONS, counted: [] },
    { limit: COSMOS_LIMITS.metadataReads, withinMs: FIVE_MINUTES_MS, kinds: READS, counted: [] },
    {
      // Each is taken as one request unit.
      limit: COSMOS_LIMITS.metadata,
      withinMs: SECOND_MS,
      kinds: [...CREATIONS, ...READS, ...OTHERS],
      counted: [],
    },
  ];

  /** @param now in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The answer where a rate is used up; undefined lets the request in, and counts it. */
  refusal(kind: string): Reply | undefined {
    const now = this.#now();
    const rates = this.#rates.filter(({ kinds }) => kinds.includes(kind));
    for (const { counted, withinMs, limit } of rates) {
      while (counted[0] !== undefined && counted[0] <= now - withinMs) counted.shift();
      const [first] = counted;
      if (first === undefined || counted.length < limit.value) continue;
      const waitMs = Math.min(LONGEST_WAIT_MS, Math.ceil(first + withinMs - now));
      return fault(429, `${limit.what}: ${limit.value} at most.`, ["x-ms-retry-after-ms", String(waitMs)], 0);
    }
    for (const { counted } of rates) counted.push(now);
    return undefined;
  }
}
