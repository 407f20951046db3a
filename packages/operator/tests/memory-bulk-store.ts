// What stands of actions on many jobs, in memory: for tests of the operations.

import type { BulkItem, BulkResult } from "../src/domain/bulk.ts";
import { isOpen } from "../src/domain/bulk-troubles.ts";
import type { BulkStore, StoredBulkRun } from "../src/store/bulk-store.ts";

/** @param now for the instants of its waves */
export function createMemoryBulkStore(now: () => number = Date.now): BulkStore {
  const runs = new Map<string, { readonly run: StoredBulkRun; readonly etag: string }>();
  const items = new Map<string, readonly BulkItem[]>();
  const turns = new Map<string, string>();
  const waves = new Map<string, readonly BulkResult[]>();
  let version = 0;
  const put = (run: StoredBulkRun) => {
    version += 1;
    runs.set(run.bulkId, { run, etag: String(version) });
  };
  return {
    async create(run, its) {
      items.set(run.bulkId, its);
      put(run);
    },
    run: async (bulkId) => runs.get(bulkId),
    async replace(read, run) {
      if (runs.get(run.bulkId)?.etag !== read.etag) return false;
      put(run);
      return true;
    },
    recent: async (limit) => ({ runs: [...runs.values()].map(({ run }) => run).slice(-limit) }),
    running: async () => [...runs.values()].flatMap(({ run }) => (run.state === "running" ? [run] : [])),
    open: async (at) => [...runs.values()].flatMap(({ run }) => (isOpen(run, Date.parse(at)) ? [run] : [])),
    turnedAt: async (bulkId, wave) => turns.get(`${bulkId} ${wave}`),
    items: async (bulkId) => items.get(bulkId) ?? [],
    wave: async (bulkId, wave) => waves.get(`${bulkId} ${wave}`),
    async saveWave(bulkId, wave, results) {
      turns.set(`${bulkId} ${wave}`, new Date(now()).toISOString());
      waves.set(`${bulkId} ${wave}`, results);
    },
  };
}
