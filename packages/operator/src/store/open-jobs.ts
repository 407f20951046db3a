// The jobs that need a person: read by the index of their error's kind, so that the cost never grows with the ended jobs.
import type { Container, SqlParameter } from "@azure/cosmos";
import { OPEN_ERRORS } from "@scheduler-agent-supervisor/core/internal/domain/open-errors";
import type { JobError } from "@scheduler-agent-supervisor/core/internal/domain/state-record";
import type { WorkflowRef } from "@scheduler-agent-supervisor/core/internal/domain/workflow";
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

/** @param limit the maximum number that is read; throws if the store does not answer */
export type ReadOpenJobs = (limit: number) => Promise<OpenJobs>;

/** Values without names: a thousand jobs take a third of the space. Every record with an error has all of them. */
const ROW =
  "[c.jobId, c.workflow.name, c.workflow.version, c.attempt, c.error.kind, c.error.message, c.error.step, c.error.at]";
type Row = [string, string, number, number, JobError["kind"], string, string | null, string];

/** As many as are usual are one small query. */
const FEW = 100;
const KINDS = OPEN_ERRORS.map((_, place) => `@kind${place}`).join(", ");
const FIRST_FEW =
  `SELECT TOP ${FEW + 1} VALUE ${ROW} FROM c ` + `WHERE c.error.kind IN (${KINDS}) AND c.processState = 'Error'`;

/** @param container its index has `error.kind` together with `processState` */
export function createOpenJobs(container: Container, openErrors: OpenErrorCounts): ReadOpenJobs {
  async function firstFew(): Promise<Row[]> {
    const parameters = OPEN_ERRORS.map((kind, place) => ({ name: `@kind${place}`, value: kind }));
    return (await container.items.query<Row>({ query: FIRST_FEW, parameters }, { maxItemCount: -1 }).fetchAll())
      .resources;
  }

  async function someOf(kind: string, most: number): Promise<Row[]> {
    const parameters: SqlParameter[] = [{ name: "@kind", value: kind }];
    const query = `SELECT TOP ${most} VALUE ${ROW} FROM c WHERE c.error.kind = @kind AND c.processState = 'Error'`;
    return (await container.items.query<Row>({ query, parameters }, { maxItemCount: -1 }).fetchAll()).resources;
  }

  // One query where few are expected; where they may be many, its rows would be read twice.
  let areFew = false;

  return async (limit) => {
    if (areFew) {
      const few = await firstFew();
      if (few.length <= Math.min(FEW, limit)) return { jobs: sorted(few.map(jobOf)), isAll: true };
    }
    const counts = await openErrors.read();
    const read = shares(counts, limit).map(async ({ kind, share }) =>
      share === 0 ? [] : (await someOf(kind, share)).map(jobOf),
    );
    const jobs = (await Promise.all(read)).flat();
    const all = counts.reduce((sum, { count }) => sum + count, 0);
    areFew = all <= FEW;
    return { jobs: sorted(jobs), isAll: all <= limit };
  };
}

/** The latest first. */
const sorted = (jobs: readonly OpenJob[]): OpenJob[] =>
  jobs.toSorted((one, other) => other.error.at.localeCompare(one.error.at) || one.jobId.localeCompare(other.jobId));

/** No kind uses the share of another, unless that one leaves some. */
export function shares<Kind extends { readonly count: number }>(kinds: readonly Kind[], limit: number) {
  let left = limit;
  const fewestFirst = [...kinds].sort((one, other) => one.count - other.count);
  return fewestFirst.map((kind, at) => {
    const share = Math.min(kind.count, Math.floor(left / (fewestFirst.length - at)));
    left -= share;
    return { ...kind, share };
  });
}

function jobOf([jobId, name, version, attempt, kind, message, step, at]: Row): OpenJob {
  return { jobId, workflow: { name, version }, attempt, error: { kind, message, step, at } };
}
