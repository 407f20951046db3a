// The jobs with a step that its service does later: the search reads only jobs that have not ended.
import type { Container } from "@azure/cosmos";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { type ListPosition, pageOf } from "../domain/list-page.ts";

export type AwaitingJob = Pick<StateRecord, "jobId" | "workflow" | "steps">;

interface AwaitingJobs {
  readonly jobs: readonly AwaitingJob[];
  /** The end of this page; absent if there are no more. */
  readonly next?: ListPosition;
}

/**
 * Of more than the limit those that the supervisor looks at first come first. Throws if the store does not answer.
 * @param after the end of the page before
 * @param assignee only jobs in which it has to act
 */
export type ReadAwaitingJobs = (limit: number, after?: ListPosition, assignee?: string) => Promise<AwaitingJobs>;

type Row = AwaitingJob & { readonly dueAt?: string };

interface Wanted {
  readonly assignee: string | undefined;
  readonly after?: ListPosition | undefined;
}

// The steps' names are members: a query can search them only as an array.
const AWAITS =
  "SELECT VALUE s FROM (SELECT VALUE ObjectToArray(c.steps)) AS listed JOIN s IN listed " +
  'WHERE (s.v.state = "Awaiting" OR s.v.compensation.state = "Awaiting")';

function awaits(assignee: string | undefined): string {
  const its = assignee === undefined ? "" : " AND s.v.assignee = @assignee";
  return `c.hasWaited = true AND c.processState IN ("Pending", "Processing") AND EXISTS(${AWAITS}${its})`;
}

/** None is shown twice, or left out, where many are due at one instant. */
const FURTHER = " AND c.dueAt >= @at AND NOT ARRAY_CONTAINS(@shown, c.jobId)";

/**
 * It reads the jobs that have not ended and had a step that was done later; sorted only if they are more than the limit.
 * @param container its index has `processState`, `hasWaited` and `dueAt`
 */
export function createAwaitingJobs(container: Container): ReadAwaitingJobs {
  async function rows(limit: number, further: string, { assignee, after }: Wanted): Promise<Row[]> {
    const query = `SELECT TOP ${limit + 1} c.jobId, c.workflow, c.steps, c.dueAt FROM c WHERE ${awaits(assignee)}${further}`;
    const parameters = [
      ...(assignee === undefined ? [] : [{ name: "@assignee", value: assignee }]),
      ...(after
        ? [
            { name: "@at", value: after.at },
            { name: "@shown", value: [...after.shown] },
          ]
        : []),
    ];
    return (await container.items.query<Row>({ query, parameters }, { maxItemCount: -1 }).fetchAll()).resources;
  }

  return async (limit, after, assignee) => {
    if (!after) {
      const few = await rows(limit, "", { assignee });
      if (few.length <= limit) return { jobs: few.map(jobOf) };
    }
    const found = await rows(limit, `${after ? FURTHER : ""} ORDER BY c.dueAt`, { assignee, after });
    const page = pageOf(
      found.map((row) => ({ ...row, at: row.dueAt ?? "", id: row.jobId })),
      limit,
      after,
    );
    return { jobs: page.entries.map(jobOf), ...(page.next && { next: page.next }) };
  };
}

const jobOf = ({ jobId, workflow, steps }: Row): AwaitingJob => ({ jobId, workflow, steps });
