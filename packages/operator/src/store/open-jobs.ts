// The jobs that need a person: read by the index of their error's kind, so that the cost never grows with the ended jobs.
import type { Container, SqlParameter } from "@azure/cosmos";
import { OPEN_ERRORS } from "@scheduler-agent-supervisor/core/internal/domain/open-errors";
import type { JobError } from "@scheduler-agent-supervisor/core/internal/domain/state-record";
import type { WorkflowRef } from "@scheduler-agent-supervisor/core/internal/domain/workflow";
import { shares } from "../domain/shares.ts";
import type { OpenErrorCounts } from "./open-error-counts.ts";

/** The members that a list shows: each additional one makes every read more expensive. */
export interface OpenJob {
  readonly jobId: string;
  readonly workflow: WorkflowRef;
  readonly attempt: number;
  readonly error: Pick<JobError, "kind" | "message" | "step" | "at">;
}

export interface OpenJobs {
  readonly jobs: readonly OpenJob[];
  /** False if there are more than the limit. */
  readonly isAll: boolean;
}

/** Throws if the store does not answer. */
export type ReadOpenJobs = () => Promise<OpenJobs>;

/** Unsorted. Each method throws if the store does not answer. */
export interface OpenJobStore {
  /** With one query; none that can be relied on if there are more than the limit. */
  few(limit: number): Promise<OpenJobs>;
  /** If there are more, some of each kind. */
  some(limit: number): Promise<OpenJobs>;
  /** Those with an error at or after that instant. */
  since(at: string, limit: number): Promise<OpenJobs>;
  /** The number of all others, counted from the index alone. */
  countBefore(at: string): Promise<number>;
}

/** Values without names: a thousand jobs take a third of the space. Every record with an error has all of them. */
const ROW =
  "[c.jobId, c.workflow.name, c.workflow.version, c.attempt, c.error.kind, c.error.message, c.error.step, c.error.at]";
type Row = [string, string, number, number, JobError["kind"], string, string | null, string];

const KINDS = OPEN_ERRORS.map((_, place) => `@kind${place}`).join(", ");
const IS_OPEN = `c.error.kind IN (${KINDS}) AND c.processState = 'Error'`;
const OPEN_KINDS: readonly SqlParameter[] = OPEN_ERRORS.map((value, place) => ({ name: `@kind${place}`, value }));
const OF_KIND = "c.error.kind = @kind AND c.processState = 'Error'";

/** @param container its index has `error.at`, and `error.kind` together with `processState`, also followed by `error.at` */
export function createOpenJobStore(container: Container, openErrors: OpenErrorCounts): OpenJobStore {
  async function rows(query: string, parameters: readonly SqlParameter[]): Promise<OpenJob[]> {
    const asked = { query, parameters: [...parameters] };
    return (await container.items.query<Row>(asked, { maxItemCount: -1 }).fetchAll()).resources.map(jobOf);
  }

  /** @param most one more is read, to know whether there are more */
  const upTo = (found: readonly OpenJob[], most: number): OpenJobs => ({
    jobs: found.slice(0, most),
    isAll: found.length <= most,
  });

  return {
    async few(limit) {
      return upTo(await rows(`SELECT TOP ${limit + 1} VALUE ${ROW} FROM c WHERE ${IS_OPEN}`, OPEN_KINDS), limit);
    },

    async some(limit) {
      const counts = await openErrors.read();
      const all = counts.reduce((sum, { count }) => sum + count, 0);
      // The counts are some seconds old: where all fit, what has come since is read too.
      const read = shares(counts, limit).map(async ({ kind, share }) => {
        const most = all <= limit ? limit + 1 : share;
        return most === 0
          ? []
          : rows(`SELECT TOP ${most} VALUE ${ROW} FROM c WHERE ${OF_KIND}`, [{ name: "@kind", value: kind }]);
      });
      const found = upTo((await Promise.all(read)).flat(), limit);
      return { ...found, isAll: found.isAll && all <= limit };
    },

    async since(at, limit) {
      const query = `SELECT TOP ${limit + 1} VALUE ${ROW} FROM c WHERE ${IS_OPEN} AND c.error.at >= @at ORDER BY c.error.at`;
      return upTo(await rows(query, [...OPEN_KINDS, { name: "@at", value: at }]), limit);
    },

    async countBefore(at) {
      const query = `SELECT VALUE COUNT(1) FROM c WHERE ${OF_KIND} AND c.error.at < @at`;
      const counts = OPEN_ERRORS.map(async (kind) => {
        const parameters = [
          { name: "@kind", value: kind },
          { name: "@at", value: at },
        ];
        return (await container.items.query<number>({ query, parameters }).fetchAll()).resources[0] ?? 0;
      });
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
  };
}

function jobOf([jobId, name, version, attempt, kind, message, step, at]: Row): OpenJob {
  return { jobId, workflow: { name, version }, attempt, error: { kind, message, step, at } };
}
