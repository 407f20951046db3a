// Keeps the jobs that need a person between two looks, and reads only what may have changed since: any number of them waits at the same small cost.
import { instant } from "@scheduler-agent-supervisor/core/internal/domain/duration";
import { shares } from "../domain/shares.ts";
import type { OpenJob, OpenJobStore, OpenJobs, ReadOpenJobs } from "../store/open-jobs.ts";

/** As many as are usual are one small query. */
export const FEW = 100;
/** A job is stored some time after the instant of its error, by a process whose clock differs a little. */
export const RECENT_MS = 30_000;
/** Two changes that hide each other from the count are not hidden for longer. */
const ANEW_MS = 600_000;

interface Kept extends OpenJobs {
  /** Of the jobs with an error before it nothing is read as long as their number is the same. */
  readonly settledBefore: string;
  readonly settled: number;
  readonly readAt: number;
}

/**
 * Each look counts the jobs whose error is older than at the last look, from the index alone, and reads the newer ones. If the count differs, a job
 * has left, or was stored late: then all are read again. So each process is right by itself, whichever process has changed a job. A count always
 * precedes the read that it is for: what changes in between is a difference at the next look.
 * @param most the maximum number that is kept
 */
export function keepOpenJobs(store: OpenJobStore, most: number, now: () => number): ReadOpenJobs {
  let kept: Kept | undefined;
  // One query where few are expected; where they may be many, its rows would be read twice.
  let areFew = false;

  async function changed({ settledBefore, settled, readAt, jobs }: Kept, at: number): Promise<Kept | undefined> {
    if (at - readAt > ANEW_MS || (await store.countBefore(settledBefore)) !== settled) return undefined;
    const recent = await store.since(settledBefore, most);
    if (!recent.isAll) return undefined;
    const before = jobs.filter(({ error }) => error.at < settledBefore);
    const later = instant(at - RECENT_MS);
    const next = later > settledBefore ? later : settledBefore;
    return {
      jobs: newestOf([...recent.jobs, ...before], most),
      isAll: settled + recent.jobs.length <= most,
      settledBefore: next,
      settled: settled + recent.jobs.filter(({ error }) => error.at < next).length,
      readAt,
    };
  }

  async function anew(at: number): Promise<Kept> {
    const settledBefore = instant(at - RECENT_MS);
    const settled = await store.countBefore(settledBefore);
    return { ...(await store.some(most)), settledBefore, settled, readAt: at };
  }

  return async () => {
    if (areFew) {
      const few = await store.few(FEW);
      if (few.isAll) return { jobs: sorted(few.jobs), isAll: true };
    }
    const at = now();
    const found = (kept && (await changed(kept, at))) ?? (await anew(at));
    areFew = found.isAll && found.jobs.length <= FEW;
    kept = !areFew && isWhole(found) ? found : undefined;
    return { jobs: sorted(found.jobs), isAll: found.isAll };
  };
}

/** Not if jobs have changed between the count and the read. */
function isWhole({ jobs, isAll, settled, settledBefore }: Kept): boolean {
  return !isAll || jobs.filter(({ error }) => error.at < settledBefore).length === settled;
}

/** The latest first. */
const sorted = (jobs: readonly OpenJob[]): OpenJob[] =>
  jobs.toSorted((one, other) => other.error.at.localeCompare(one.error.at) || one.jobId.localeCompare(other.jobId));

/** Each job once, as it was read last; of too many the newest of each kind. */
function newestOf(jobs: readonly OpenJob[], most: number): OpenJob[] {
  const byId = new Map(jobs.toReversed().map((job) => [job.jobId, job]));
  const byKind = [...Map.groupBy(sorted([...byId.values()]), ({ error }) => error.kind).values()];
  return shares(
    byKind.map((members) => ({ members, count: members.length })),
    most,
  ).flatMap(({ members, share }) => members.slice(0, share));
}
