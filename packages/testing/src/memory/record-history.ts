// The versions of the stored records, for reads with Session consistency: a replica that lags behind has an older one, and a process never reads
// anything older than it has seen.
import type { Document } from "@scheduler-agent-supervisor/core/store";

export interface Stored {
  readonly record: Document;
  readonly etag: string;
}

export interface StaleReads {
  /** No read misses a write that is older than this. */
  readonly withinMs: number;
  /** Milliseconds since 1970; the machine's clock if absent. */
  readonly now?: () => number;
}

interface Version {
  readonly number: number;
  /** Undefined before it was created, and once it was erased. */
  readonly stored: Stored | undefined;
  readonly writtenAt: number;
}

export class RecordHistory {
  readonly #stale: Required<StaleReads>;
  readonly #versions = new Map<string, Version[]>();
  #stalest = 0;

  constructor({ withinMs, now = Date.now }: StaleReads = { withinMs: 0 }) {
    this.#stale = { withinMs, now };
  }

  /** How many reads were answered by something older than the last write. */
  get staleReads(): number {
    return this.#stalest;
  }

  get ids(): readonly string[] {
    return [...this.#versions.keys()];
  }

  newest(jobId: string): Stored | undefined {
    return this.#versions.get(jobId)?.at(-1)?.stored;
  }

  numberOf(jobId: string): number {
    return this.#versions.get(jobId)?.at(-1)?.number ?? 0;
  }

  add(jobId: string, stored: Stored | undefined): void {
    const { withinMs, now } = this.#stale;
    const writtenAt = now();
    const before = this.#versions.get(jobId) ?? [{ number: 0, stored: undefined, writtenAt: Number.NEGATIVE_INFINITY }];
    // What every read has missed for long enough is never read again.
    const kept = before.filter((_, at) => (before[at + 1]?.writtenAt ?? writtenAt) + withinMs > writtenAt);
    this.#versions.set(jobId, [...kept, { number: this.numberOf(jobId) + 1, stored, writtenAt }]);
  }

  /** The oldest version that a process may still read: the worst replica answers. */
  oldest(jobId: string, seen: number): { readonly stored: Stored | undefined; readonly number: number } {
    const { withinMs, now } = this.#stale;
    const versions = this.#versions.get(jobId) ?? [];
    const isReadable = (number: number, at: number) =>
      number >= seen && (versions[at + 1]?.writtenAt ?? Number.POSITIVE_INFINITY) + withinMs > now();
    const found = versions.find(({ number }, at) => isReadable(number, at));
    if (!found) return { stored: undefined, number: seen };
    if (found !== versions.at(-1)) this.#stalest += 1;
    return found;
  }
}

/** What one process has seen of each record. */
export class Session {
  readonly #history: RecordHistory;
  readonly #seen = new Map<string, number>();
  readonly #lagging = new Map<string, Stored | undefined>();

  constructor(history: RecordHistory) {
    this.#history = history;
  }

  /** Until it writes the record, or tries to, or reads the newest, it reads the record as it stands now. */
  lag(jobId: string): void {
    this.#lagging.set(jobId, this.#history.newest(jobId));
  }

  read(jobId: string): Stored | undefined {
    if (this.#lagging.has(jobId)) return this.#lagging.get(jobId);
    const { stored, number } = this.#history.oldest(jobId, this.#seen.get(jobId) ?? 0);
    this.#seen.set(jobId, number);
    return stored;
  }

  /** The newest, as a write finds it, also one that is rejected. */
  newest(jobId: string): Stored | undefined {
    this.#lagging.delete(jobId);
    this.#seen.set(jobId, this.#history.numberOf(jobId));
    return this.#history.newest(jobId);
  }

  write(jobId: string, stored: Stored | undefined): void {
    this.#lagging.delete(jobId);
    this.#history.add(jobId, stored);
    this.#seen.set(jobId, this.#history.numberOf(jobId));
  }
}
