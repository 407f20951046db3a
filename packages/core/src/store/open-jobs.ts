// The jobs that a person has to see to: read by the index of why they are in Error, so that the price never grows with those that ended.
import type { Container, SqlParameter } from "@azure/cosmos";
import type { JobError } from "../domain/state-record.ts";
import type { WorkflowRef } from "../domain/workflow.ts";
import { OPEN_ERRORS } from "./job-gauges.ts";

/** What a list of them shows: each member more makes every one of them dearer to read. */
export interface OpenJob {
  readonly jobId: string;
  readonly workflow: WorkflowRef;
  readonly attempt: number;
  readonly error: Pick<JobError, "kind" | "message" | "step" | "at">;
}

export interface OpenJobs {
  readonly jobs: readonly OpenJob[];
  /** False where there are more than the limit. */
  readonly isAll: boolean;
}

/** @param limit so many are read at most; throws where the store does not answer */
export type ReadOpenJobs = (limit: number) => Promise<OpenJobs>;

/** Values without names: a thousand jobs are a third as long. All of them stand in every record that has an error. */
const ROW =
  "[c.jobId, c.workflow.name, c.workflow.version, c.attempt, c.error.kind, c.error.message, c.error.step, c.error.at]";
type Row = [string, string, number, number, JobError["kind"], string, string | null, string];

/** @param container its index has `error.kind` together with `processState` */
export function createOpenJobs(container: Container): ReadOpenJobs {
  async function ofKind<T>(what: string, kind: string): Promise<T[]> {
    const parameters: SqlParameter[] = [{ name: "@kind", value: kind }];
    const query = `SELECT ${what} FROM c WHERE c.error.kind = @kind AND c.processState = 'Error'`;
    return (await container.items.query<T>({ query, parameters }, { maxItemCount: -1 }).fetchAll()).resources;
  }

  return async (limit) => {
    const counts = await Promise.all(
      OPEN_ERRORS.map(async (kind) => ({ kind, count: (await ofKind<number>("VALUE COUNT(1)", kind))[0] ?? 0 })),
    );
    const read = shares(counts, limit).map(async ({ kind, share }) =>
      share === 0 ? [] : (await ofKind<Row>(`TOP ${share} VALUE ${ROW}`, kind)).map(jobOf),
    );
    const jobs = (await Promise.all(read)).flat();
    jobs.sort((one, other) => other.error.at.localeCompare(one.error.at) || one.jobId.localeCompare(other.jobId));
    return { jobs, isAll: counts.reduce((sum, { count }) => sum + count, 0) <= limit };
  };
}

/** No kind takes what another needs, unless that leaves some. */
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
