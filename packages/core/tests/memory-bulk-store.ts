// What stands of actions on many jobs, in memory: for tests of the operations.
import type { BulkItem, BulkResult } from "@scheduler-agent-supervisor/operator/internal/domain/bulk";
import type { BulkRun, BulkStore } from "@scheduler-agent-supervisor/operator/internal/store/bulk-store";

export function createMemoryBulkStore(): BulkStore {
  const runs = new Map<string, { readonly run: BulkRun; readonly etag: string }>();
  const items = new Map<string, readonly BulkItem[]>();
  const waves = new Map<string, readonly BulkResult[]>();
  let version = 0;
  const put = (run: BulkRun) => {
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
    recent: async (limit) => [...runs.values()].map(({ run }) => run).slice(-limit),
    items: async (bulkId) => items.get(bulkId) ?? [],
    wave: async (bulkId, wave) => waves.get(`${bulkId} ${wave}`),
    async saveWave(bulkId, wave, results) {
      waves.set(`${bulkId} ${wave}`, results);
    },
  };
}
