// Recent arrivals and completions: only the newest entries of an index, so that the cost never grows with the stored jobs.
import type { Container } from "@azure/cosmos";
import type { WorkflowRef } from "@scheduler-agent-supervisor/core/workflows";

/** A job that is Processed. */
export interface Completed {
  /** When it was sent, by the broker's clock; if that is not known, when it was recorded. */
  readonly sentAt: string;
  readonly endedAt: string;
}

/** Each reads at most `limit` documents, the newest first, and throws if the store does not answer. */
export interface RecentJobs {
  /** When the jobs were recorded that arrived since then. */
  received(since: string, limit: number): Promise<readonly string[]>;
  completed(since: string, limit: number): Promise<readonly Completed[]>;
  /** The workflows of jobs that are Pending or Processing; at most the limit for each state. */
  inFlight(limit: number): Promise<{ readonly workflows: readonly WorkflowRef[]; readonly isAll: boolean }>;
}

interface Ended {
  readonly createdAt: string;
  readonly enqueuedAt?: string;
  readonly at: string;
}

/**
 * @param container its index has `createdAt`, `processState`, `overAt` and `keptUntil`
 * @param closedFor the lifetime of documents, if jobs are closed in the write that completes them
 */
export function createRecentJobs(container: Container, closedFor: number | undefined): RecentJobs {
  async function newest<T>(members: string, path: string, since: string, limit: number): Promise<T[]> {
    const query = {
      query: `SELECT TOP ${limit} ${members} FROM c WHERE ${path} >= @since ORDER BY ${path} DESC`,
      parameters: [{ name: "@since", value: since }],
    };
    return (await container.items.query<T>(query, { maxItemCount: limit }).fetchAll()).resources;
  }
  const moved = (at: string, ms: number) => new Date(Date.parse(at) + ms).toISOString();

  return {
    received: (since, limit) => newest("VALUE c.createdAt", "c.createdAt", since, limit),

    async completed(since, limit) {
      // A job that is closed in the same write does not contain when it was over, but until when it is kept.
      const [path, later] =
        closedFor === undefined ? (["c.overAt", 0] as const) : (["c.keptUntil", closedFor] as const);
      const members = `c.createdAt, c.enqueuedAt, ${path} AS at`;
      const ended = await newest<Ended>(members, path, moved(since, later), limit);
      return ended.map(({ createdAt, enqueuedAt, at }) => ({
        sentAt: enqueuedAt ?? createdAt,
        endedAt: moved(at, -later),
      }));
    },

    async inFlight(limit) {
      const reads = ["Pending", "Processing"].map(async (state) => {
        const query = {
          query: `SELECT TOP ${limit} VALUE c.workflow FROM c WHERE c.processState = @state`,
          parameters: [{ name: "@state", value: state }],
        };
        return (await container.items.query<WorkflowRef>(query, { maxItemCount: limit }).fetchAll()).resources;
      });
      const found = await Promise.all(reads);
      return { workflows: found.flat(), isAll: found.every(({ length }) => length < limit) };
    },
  };
}
