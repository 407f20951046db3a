// Finds jobs for a list: whoever gives a whole job id gets that job at once, however many are stored.
import { NewerSchema } from "../domain/newer-schema.ts";
import { type JobPage, type JobQuery, type JobSummary, listedOf, summaryOf } from "../store/job-list.ts";
import type { JobStore } from "../store/job-store.ts";

/** Later than every job: what else matches comes on the next page. */
const BEFORE_ALL = "9999-12-31T23:59:59.999Z";

/** Part of an id is looked for in all that is stored: only whoever asks for more than the job of that very id pays for it. */
export async function findJobs(query: JobQuery, store: Pick<JobStore, "list" | "state">): Promise<JobPage> {
  const { text, limit: _limit, ...more } = query;
  const isIdAlone = text !== undefined && Object.values(more).every((value) => value === undefined);
  const job = isIdAlone ? await jobOf(text, store) : undefined;
  if (!job) return store.list(query);
  return { jobs: [job], next: { createdAt: BEFORE_ALL, shown: [job.jobId] } };
}

async function jobOf(jobId: string, store: Pick<JobStore, "state">): Promise<JobSummary | undefined> {
  try {
    const read = await store.state(jobId);
    return read && summaryOf(listedOf(read.record));
  } catch (cause) {
    // The list shows of it what it can.
    if (cause instanceof NewerSchema) return undefined;
    throw cause;
  }
}
