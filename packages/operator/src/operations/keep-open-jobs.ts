// Keeps the jobs that need a person between two looks, and reads only what may have changed since: any number of them waits at the same small cost.
import { instant, OPEN_ERRORS } from "@scheduler-agent-supervisor/core/domain";
import { shares } from "../domain/shares.ts";
import type { OpenErrorCount } from "../store/open-error-counts.ts";
import type { CountedJobs, OpenJob, OpenJobStore, ReadOpenJobs } from "../store/open-jobs.ts";

/** As many as are usual are one small query. */
export const FEW = 100;
/** A job is stored some time after the instant of its error, by a process whose clock differs a little. */
export const RECENT_MS = 30_000;
/** One that has left and one that was stored late hide each other from a count, but not for longer. */
export const ANEW_MS = 300_000;

const END_OF_TIME = "9999-12-31T23:59:59.999Z";

interface Kept {
  readonly jobs: readonly OpenJob[];
  /** Of the jobs with an error before it nothing is read as long as the store counts the same of each kind. */
  readonly before: string;
  readonly counts: readonly OpenErrorCount[];
  readonly readAt: number;
}

/**
 * Each look counts the jobs whose error is older than at the last look, from the index alone, and reads the newer ones. If a count differs, a job has
 * left, or was stored late: then the older ones are read again. So each process says what the store has at each look, whichever process has changed a
 * job, and no process depends on what another one knows.
 * @param most the maximum number that is kept
 */
export function keepOpenJobs(store: OpenJobStore, most: number, now: () => number): ReadOpenJobs {
  let kept: Kept | undefined;
  // One query where few are expected; where they may be many, its rows would be read twice.
  let areFew = false;

  /** With the recent ones no more than are kept: none is read that is not shown. */
  async function older(before: string, counts: readonly OpenErrorCount[], recent: readonly OpenJob[]) {
    const read = shares(withMore(counts, recent), most).map(async ({ kind, count: all, share: ofAll }) => {
      const known = recent.filter(({ error }) => error.kind === kind).length;
      const [count, share] = [all - known, Math.max(0, ofAll - known)];
      // Where all are read, one more would show that the count is not theirs.
      const limit = share === count ? share + 1 : share;
      const jobs = count === 0 || limit === 0 ? [] : await store.someBefore(before, kind, limit);
      return { jobs, isWhole: jobs.length === share };
    });
    const found = await Promise.all(read);
    return { jobs: found.flatMap(({ jobs }) => jobs), isWhole: found.every(({ isWhole }) => isWhole) };
  }

  async function look(): Promise<CountedJobs> {
    const at = now();
    const last = kept && at - kept.readAt <= ANEW_MS ? kept : undefined;
    const settledBefore = instant(at - RECENT_MS);
    const before = last?.before ?? settledBefore;
    const [counts, recent] = await Promise.all([store.countBefore(before), store.since(before, most)]);
    const isSame = last !== undefined && counts.every(({ count }, kind) => count === last.counts[kind]?.count);
    const rest = isSame ? { ...last, isWhole: true } : { ...(await older(before, counts, recent.jobs)), readAt: at };
    const jobs = newestOf([...recent.jobs, ...rest.jobs.filter(({ error }) => error.at < before)], most);
    const countsNow = recent.isAll ? withMore(counts, recent.jobs) : await store.countBefore(END_OF_TIME);
    const all = countsNow.reduce((sum, { count }) => sum + count, 0);
    areFew = recent.isAll && all <= FEW;
    const next = settledBefore > before ? settledBefore : before;
    const settled = recent.jobs.filter(({ error }) => error.at < next);
    const isKept = recent.isAll && rest.isWhole && !areFew;
    kept = isKept ? { jobs, before: next, counts: withMore(counts, settled), readAt: rest.readAt } : undefined;
    return { jobs, isAll: recent.isAll && all <= most, counts: countsNow };
  }

  return async () => {
    if (!areFew) return look();
    const few = await store.few(FEW);
    if (!few.isAll) return look();
    return { jobs: sorted(few.jobs), isAll: true, counts: withMore(NONE, few.jobs) };
  };
}

const NONE: readonly OpenErrorCount[] = OPEN_ERRORS.map((kind) => ({ kind, count: 0 }));

const withMore = (counts: readonly OpenErrorCount[], jobs: readonly OpenJob[]): readonly OpenErrorCount[] =>
  counts.map(({ kind, count }) => ({ kind, count: count + jobs.filter(({ error }) => error.kind === kind).length }));

/** The latest first. */
const sorted = (jobs: readonly OpenJob[]): OpenJob[] =>
  jobs.toSorted((one, other) => other.error.at.localeCompare(one.error.at) || one.jobId.localeCompare(other.jobId));

/** Each job once, as the first of them says; of too many the newest of each kind. The latest first. */
function newestOf(jobs: readonly OpenJob[], most: number): OpenJob[] {
  const once = sorted([...new Map(jobs.toReversed().map((job) => [job.jobId, job])).values()]);
  if (once.length <= most) return once;
  const byKind = [...Map.groupBy(once, ({ error }) => error.kind).values()];
  const kinds = byKind.map((members) => ({ members, count: members.length }));
  return sorted(shares(kinds, most).flatMap(({ members, share }) => members.slice(0, share)));
}
