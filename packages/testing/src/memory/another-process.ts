// The state store as another process sees it, with Session consistency: what others have written it may see later than they do.
import type { Versioned } from "@scheduler-agent-supervisor/core/internal/store/job-store";
import type { MemoryJobStore } from "./memory-job-store.ts";

/** The view of one process on a store that other processes write too. */
export interface AnotherProcess extends MemoryJobStore {
  /** Until this process writes, or tries to, or asks for what is latest, it reads those jobs as they stand now. */
  lag(...jobIds: string[]): Promise<void>;
}

/** Everything is stored in `store`. Queries, and the contents of jobs, are never stale. */
export function anotherProcess(store: MemoryJobStore): AnotherProcess {
  const seen = new Map<string, Versioned | undefined>();
  /** The answer to a write, a rejected one included, shows a process what is newest. */
  const newest = <Given extends unknown[], Answer>(write: (...given: Given) => Promise<Answer>) => {
    return (...given: Given): Promise<Answer> => {
      seen.clear();
      return write(...given);
    };
  };
  return {
    ...store,
    async lag(...jobIds) {
      for (const jobId of jobIds) seen.set(jobId, await store.state(jobId));
    },
    state: async (jobId) => (seen.has(jobId) ? structuredClone(seen.get(jobId)) : store.state(jobId)),
    latest: newest(store.latest),
    create: newest(store.create),
    change: newest(store.change),
    replace: newest(store.replace),
    revise: newest(store.revise),
    close: newest(store.close),
    erase: newest(store.erase),
  };
}
