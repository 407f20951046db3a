// The jobs with a step that its service does later: the search reads only jobs that have not ended.
import type { Container } from "@azure/cosmos";
import type { StateRecord } from "@scheduler-agent-supervisor/core/internal/domain/state-record";

export type AwaitingJob = Pick<StateRecord, "jobId" | "workflow" | "steps">;

/** Throws if the store does not answer. `isAll` is false if there are more than the limit. @param assignee only jobs in which it has to act */
export type ReadAwaitingJobs = (
  limit: number,
  assignee?: string,
) => Promise<{ readonly jobs: readonly AwaitingJob[]; readonly isAll: boolean }>;

/**
 * It reads the jobs that have not ended and had a step that was done later.
 * @param container its index has `processState` and `hasWaited`
 */
export function createAwaitingJobs(container: Container): ReadAwaitingJobs {
  return async (limit, assignee) => {
    // The steps' names are members: a query can search them only as an array.
    const awaits =
      "SELECT VALUE s FROM (SELECT VALUE ObjectToArray(c.steps)) AS listed JOIN s IN listed " +
      'WHERE (s.v.state = "Awaiting" OR s.v.compensation.state = "Awaiting")' +
      (assignee === undefined ? "" : " AND s.v.assignee = @assignee");
    const query =
      `SELECT TOP ${limit + 1} c.jobId, c.workflow, c.steps FROM c ` +
      `WHERE c.hasWaited = true AND c.processState IN ("Pending", "Processing") AND EXISTS(${awaits})`;
    const parameters = assignee === undefined ? [] : [{ name: "@assignee", value: assignee }];
    const found = container.items.query<AwaitingJob>({ query, parameters }, { maxItemCount: -1 });
    const { resources } = await found.fetchAll();
    return { jobs: resources.slice(0, limit), isAll: resources.length <= limit };
  };
}
