// The records of an action on many jobs: the run, which is small and read often; its jobs as the preview read them; a result for each wave.
import { type Container, ErrorResponse, type SqlParameter } from "@azure/cosmos";
import type { Direction, JobError, ProcessState } from "@scheduler-agent-supervisor/core/domain";
import type { BulkAction, BulkCounts, BulkItem, BulkResult, BulkState } from "../domain/bulk.ts";
import { openUntil } from "../domain/bulk-troubles.ts";
import { type ListPosition, pageOf } from "../domain/list-page.ts";
import { furtherThan } from "./further-than.ts";

/** The filter of the search. */
export interface BulkFilter {
  readonly state?: Exclude<ProcessState, "Processed"> | undefined;
  readonly kind?: JobError["kind"] | undefined;
  readonly workflow?: string | undefined;
  readonly version?: number | undefined;
  readonly step?: string | undefined;
  readonly waitsFor?: string | undefined;
  readonly q?: string | undefined;
  readonly timeOf?: "received" | "sent" | "changed" | "ended" | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface StoredBulkRun {
  readonly bulkId: string;
  readonly action: BulkAction;
  readonly state: BulkState;
  /** When it was previewed. */
  readonly at: string;
  readonly by: string;
  /** Null until it is started. */
  readonly reason: string | null;
  /** An ISO 8601 duration; null until it is started, and for all other actions. */
  readonly extendBy: string | null;
  /** `forward`: a resubmission takes jobs forward again that stopped in their compensation. */
  readonly direction: "forward" | null;
  /** Of a resubmission: how many jobs go on in each direction; null for all other actions. */
  readonly goesOn: { readonly [direction in Direction]: number } | null;
  /** Of a resubmission: in how many jobs a step runs again under its next idempotency key, or under the same; null for all other actions. */
  readonly keys: { readonly [key in "next" | "same"]: number } | null;
  /** The cause that selected these jobs; null for a filter or a selection. */
  readonly cause: string | null;
  /** The search that selected these jobs; null for a cause or a selection. */
  readonly filter: BulkFilter | null;
  /** False if more jobs were selected than one run takes. */
  readonly isAll: boolean;
  readonly total: number;
  /** The current wave. */
  readonly wave: number;
  /** Of all waves so far. */
  readonly counts: BulkCounts;
  /** Why it stopped by itself; null unless it did. */
  readonly stopped: string | null;
  readonly updatedAt: string;
}

export interface ReadBulkRun {
  readonly run: StoredBulkRun;
  readonly etag: string;
}

/** Every method throws if the store does not answer. */
export interface BulkStore {
  /** Writes the items first: a run without them is never visible. */
  create(run: StoredBulkRun, items: readonly BulkItem[]): Promise<void>;
  run(bulkId: string): Promise<ReadBulkRun | undefined>;
  /** False if another writer has changed it since. */
  replace(read: ReadBulkRun, run: StoredBulkRun): Promise<boolean>;
  /** The latest first. */
  recent(
    limit: number,
    after?: ListPosition,
  ): Promise<{ readonly runs: readonly StoredBulkRun[]; readonly next?: ListPosition }>;
  /** Those that should make progress. */
  running(): Promise<StoredBulkRun[]>;
  /** Those that run or are paused, and those that have stopped by themselves a short while before, however many others there are. */
  open(now: string): Promise<StoredBulkRun[]>;
  /** When a turn last saved the results of that wave; undefined if none did. */
  turnedAt(bulkId: string, wave: number): Promise<string | undefined>;
  items(bulkId: string): Promise<readonly BulkItem[]>;
  /** Undefined if the wave has not begun. */
  wave(bulkId: string, wave: number): Promise<readonly BulkResult[] | undefined>;
  saveWave(bulkId: string, wave: number, results: readonly BulkResult[]): Promise<void>;
}

/** No day has this name. */
const RUNS = "bulk";
const PRECONDITION_FAILED = 412;

/** @param container its partition key is `/day`; `/at`, `/state` and `/openUntil` are indexed, and its documents have a time to live */
export function createCosmosBulkStore(container: Container): BulkStore {
  const partOf = (bulkId: string) => `bulk:${bulkId}`;
  const waveId = (wave: number) => `wave-${wave}`;

  async function read<T>(id: string, day: string): Promise<(T & { readonly _etag: string }) | undefined> {
    return (await container.item(id, day).read<T & { id: string; _etag: string }>()).resource;
  }

  async function found(condition: string, parameters: readonly SqlParameter[] = []): Promise<StoredBulkRun[]> {
    const query = {
      query: `SELECT * FROM c WHERE c.day = @day AND ${condition}`,
      parameters: [{ name: "@day", value: RUNS }, ...parameters],
    };
    return (await container.items.query<StoredBulkRun>(query, { partitionKey: RUNS }).fetchAll()).resources.map(plain);
  }

  return {
    async create(run, items) {
      await container.items.upsert({ id: "items", day: partOf(run.bulkId), items });
      await container.items.create(documentOf(run));
    },
    async run(bulkId) {
      const found = await read<StoredBulkRun>(bulkId, RUNS);
      return found && { run: plain(found), etag: found._etag };
    },
    async replace({ etag }, run) {
      try {
        const accessCondition = { type: "IfMatch", condition: etag };
        await container.item(run.bulkId, RUNS).replace(documentOf(run), { accessCondition });
        return true;
      } catch (cause) {
        if (cause instanceof ErrorResponse && cause.code === PRECONDITION_FAILED) return false;
        throw cause;
      }
    },
    async recent(limit, after) {
      const further = furtherThan(after);
      const query = {
        query: `SELECT TOP ${limit + 1} * FROM c WHERE c.day = @day${further.condition} ORDER BY c.at DESC`,
        parameters: [{ name: "@day", value: RUNS }, ...further.parameters],
      };
      const asked = { partitionKey: RUNS, maxItemCount: limit + 1 };
      const read = await container.items.query<StoredBulkRun & { readonly id: string }>(query, asked).fetchAll();
      const { entries, next } = pageOf(read.resources, limit, after);
      return { runs: entries.map(plain), ...(next && { next }) };
    },
    running: () => found("c.state = 'running'"),
    open: (now) => found("c.openUntil > @now", [{ name: "@now", value: now }]),
    async turnedAt(bulkId, wave) {
      const found = await read<{ readonly _ts: number }>(waveId(wave), partOf(bulkId));
      return found && new Date(found._ts * 1000).toISOString();
    },
    async items(bulkId) {
      return (await read<{ readonly items: readonly BulkItem[] }>("items", partOf(bulkId)))?.items ?? [];
    },
    async wave(bulkId, wave) {
      return (await read<{ readonly results: readonly BulkResult[] }>(waveId(wave), partOf(bulkId)))?.results;
    },
    async saveWave(bulkId, wave, results) {
      await container.items.upsert({ id: waveId(wave), day: partOf(bulkId), results });
    },
  };
}

/** Only a run that is open has the indexed member by which it is found: the others are not in that index, however many they are. */
function documentOf(run: StoredBulkRun) {
  const until = openUntil(run);
  return { ...run, id: run.bulkId, day: RUNS, ...(until !== undefined && { openUntil: until }) };
}

/** Without the store's own members. */
function plain(found: StoredBulkRun): StoredBulkRun {
  const { bulkId, action, state, at, by, reason, cause, total, wave, counts, stopped, updatedAt } = found;
  const { extendBy, direction, goesOn, keys, filter, isAll } = found;
  const how = { extendBy, direction, goesOn, keys };
  const target = { cause, filter, isAll };
  return { bulkId, action, state, at, by, reason, ...how, ...target, total, wave, counts, stopped, updatedAt };
}
