// The jobs that need a person: read by the index of their error's kind, so that the cost never grows with the ended jobs.
import type { Container, SqlParameter } from "@azure/cosmos";
import { type JobError, OPEN_ERRORS } from "@scheduler-agent-supervisor/core/domain";
import type { WorkflowRef } from "@scheduler-agent-supervisor/core/workflows";
import type { OpenErrorCount } from "./open-error-counts.ts";

/** The members that a list shows: each additional one makes every read more expensive. */
export interface OpenJob {
  readonly jobId: string;
  readonly workflow: WorkflowRef;
  readonly attempt: number;
  readonly error: Pick<JobError, "kind" | "message" | "step" | "at">;
}

interface OpenJobs {
  readonly jobs: readonly OpenJob[];
  /** False if there are more than the limit. */
  readonly isAll: boolean;
}

/** Throws if the store does not answer. */
export type ReadOpenJobs = () => Promise<CountedJobs>;

export interface CountedJobs extends OpenJobs {
  /** Of each kind, how many there are in all. */
  readonly counts: readonly OpenErrorCount[];
}

/** Unsorted. Each method throws if the store does not answer. */
export interface OpenJobStore {
  /** With one query; some of them if there are more than the limit. */
  few(limit: number): Promise<OpenJobs>;
  /** Of each kind, those with an error before that instant: counted from the index alone. */
  countBefore(at: string): Promise<readonly OpenErrorCount[]>;
  /** Of those of one kind, up to so many. */
  someBefore(at: string, kind: JobError["kind"], limit: number): Promise<readonly OpenJob[]>;
  /** All others, the newest of them if there are more than the limit. */
  since(at: string, limit: number): Promise<OpenJobs>;
}

/** Values without names: a thousand jobs take a third of the space. Every record with an error has all of them. */
const ROW =
  "[c.jobId, c.workflow.name, c.workflow.version, c.attempt, c.error.kind, c.error.message, c.error.step, c.error.at]";
type Row = [string, string, number, number, JobError["kind"], string, string | null, string];

const KINDS = OPEN_ERRORS.map((_, place) => `@kind${place}`).join(", ");
// Not `=`: a store that uses only one index takes that of the equality, and all jobs that ever ended in Error have the state.
const IS_OPEN = `c.error.kind IN (${KINDS}) AND c.processState IN ('Error')`;
const OPEN_KINDS: readonly SqlParameter[] = OPEN_ERRORS.map((value, place) => ({ name: `@kind${place}`, value }));
const OF_KIND = "c.error.kind = @kind AND c.processState = 'Error' AND c.error.at < @at";

/** @param container its index has `error.at`, and `error.kind` together with `processState`, also followed by `error.at` */
export function createOpenJobStore(container: Container): OpenJobStore {
  async function rows(query: string, parameters: readonly SqlParameter[]): Promise<OpenJob[]> {
    const asked = { query, parameters: [...parameters] };
    return (await container.items.query<Row>(asked, { maxItemCount: -1 }).fetchAll()).resources.map(jobOf);
  }

  const ofKind = (kind: JobError["kind"], at: string): SqlParameter[] => [
    { name: "@kind", value: kind },
    { name: "@at", value: at },
  ];

  async function openJobs(limit: number, condition: string, parameters: readonly SqlParameter[]): Promise<OpenJobs> {
    const found = await rows(`SELECT TOP ${limit + 1} VALUE ${ROW} FROM c WHERE ${condition}`, parameters);
    return { jobs: found.slice(0, limit), isAll: found.length <= limit };
  }

  return {
    few: (limit) => openJobs(limit, IS_OPEN, OPEN_KINDS),

    countBefore: (at) =>
      Promise.all(
        OPEN_ERRORS.map(async (kind) => {
          const query = { query: `SELECT VALUE COUNT(1) FROM c WHERE ${OF_KIND}`, parameters: ofKind(kind, at) };
          return { kind, count: (await container.items.query<number>(query).fetchAll()).resources[0] ?? 0 };
        }),
      ),

    someBefore: (at, kind, limit) => rows(`SELECT TOP ${limit} VALUE ${ROW} FROM c WHERE ${OF_KIND}`, ofKind(kind, at)),

    since: (at, limit) =>
      openJobs(limit, `${IS_OPEN} AND c.error.at >= @at ORDER BY c.error.at DESC`, [
        ...OPEN_KINDS,
        { name: "@at", value: at },
      ]),
  };
}

function jobOf([jobId, name, version, attempt, kind, message, step, at]: Row): OpenJob {
  return { jobId, workflow: { name, version }, attempt, error: { kind, message, step, at } };
}
