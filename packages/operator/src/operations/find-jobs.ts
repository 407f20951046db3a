// Finds jobs for a list: a complete job id returns that job at once, however many are stored.
import { NewerSchema } from "@scheduler-agent-supervisor/core/domain";
import type { JobStore } from "@scheduler-agent-supervisor/core/store";
import { type JobQuery, type ListedJob, type ListedJobs, listedOf, summaryOf } from "../store/job-list.ts";
import type { JobSearch } from "../store/job-search.ts";

/** Later than every job: other matches come on the next page. */
const BEFORE_ALL = "9999-12-31T23:59:59.999Z";

export interface FindPorts {
  readonly search: Pick<JobSearch, "list">;
  readonly store: Pick<JobStore, "state">;
}

/** A part of an id is searched in all stored jobs: a caller with a complete id does not pay for that search. */
export async function findJobs(query: JobQuery, { search, store }: FindPorts): Promise<ListedJobs> {
  const { text, limit: _limit, ...more } = query;
  const isIdAlone = text !== undefined && Object.values(more).every((value) => value === undefined);
  const job = isIdAlone ? await jobOf(text, store) : undefined;
  if (!job) return search.list(query);
  return { jobs: [job], next: { createdAt: BEFORE_ALL, shown: [job.jobId] } };
}

async function jobOf(jobId: string, store: Pick<JobStore, "state">): Promise<ListedJob | undefined> {
  try {
    const read = await store.state(jobId);
    return read && summaryOf(listedOf(read.record));
  } catch (cause) {
    // The list shows as much of it as possible.
    if (cause instanceof NewerSchema) return undefined;
    throw cause;
  }
}
