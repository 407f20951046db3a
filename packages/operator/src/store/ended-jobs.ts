// A sample of the jobs that ended in some days: the newest of each part of the time, so that the cost never grows with the stored jobs.
import type { Container } from "@azure/cosmos";
import { OVER } from "@scheduler-agent-supervisor/core/store";
import type { EndedJob } from "../domain/advice.ts";

/** At most `limit` of each end (Processed, or not) that ended from then on and before. Throws if the store does not answer. */
export type ReadEndedJobs = (from: string, before: string, limit: number) => Promise<readonly EndedJob[]>;

/**
 * @param container its index has `overAt`, `overInErrorAt` and `keptUntil`
 * @param closedFor the lifetime of documents, if jobs are closed in the write that completes them
 */
export function createEndedJobs(container: Container, closedFor: number | undefined): ReadEndedJobs {
  async function newest(path: string, later: number, from: string, before: string, limit: number) {
    const moved = (at: string) => new Date(Date.parse(at) + later).toISOString();
    const query = {
      query: `SELECT TOP ${limit} c.workflow, c.steps FROM c WHERE ${path} >= @from AND ${path} < @before ORDER BY ${path} DESC`,
      parameters: [
        { name: "@from", value: moved(from) },
        { name: "@before", value: moved(before) },
      ],
    };
    return (await container.items.query<EndedJob>(query, { maxItemCount: limit }).fetchAll()).resources;
  }
  // A job that is closed in the same write does not contain when it was over, but until when it is kept.
  const processed =
    closedFor === undefined ? ([`c.${OVER.Processed}`, 0] as const) : (["c.keptUntil", closedFor] as const);
  return async (from, before, limit) => {
    const paths = [processed, [`c.${OVER.Error}`, 0] as const];
    return (await Promise.all(paths.map(([path, later]) => newest(path, later, from, before, limit)))).flat();
  };
}
