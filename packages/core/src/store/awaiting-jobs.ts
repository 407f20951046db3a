// The jobs of which a step is done later by its service: looked for among those that have not ended, and among no others.
import type { Container } from "@azure/cosmos";
import type { StateRecord } from "../domain/state-record.ts";

export type AwaitingJob = Pick<StateRecord, "jobId" | "workflow" | "steps">;

/** Throws where the store does not answer. `isAll` is false where there are more than the limit. */
export type ReadAwaitingJobs = (
  limit: number,
) => Promise<{ readonly jobs: readonly AwaitingJob[]; readonly isAll: boolean }>;

/**
 * What is read are the jobs that have not ended and had a step that was done later.
 * @param container its index has `processState` and `hasWaited`
 */
export function createAwaitingJobs(container: Container): ReadAwaitingJobs {
  return async (limit) => {
    // The steps' names are members: only as an array can they be looked through.
    const awaits =
      "SELECT VALUE s FROM (SELECT VALUE ObjectToArray(c.steps)) AS listed JOIN s IN listed " +
      'WHERE s.v.state = "Awaiting" OR s.v.compensation.state = "Awaiting"';
    const query =
      `SELECT TOP ${limit + 1} c.jobId, c.workflow, c.steps FROM c ` +
      `WHERE c.hasWaited = true AND c.processState IN ("Pending", "Processing") AND EXISTS(${awaits})`;
    const { resources } = await container.items.query<AwaitingJob>(query, { maxItemCount: -1 }).fetchAll();
    return { jobs: resources.slice(0, limit), isAll: resources.length <= limit };
  };
}
