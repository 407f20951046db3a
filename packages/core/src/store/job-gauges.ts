// How many jobs stand where, for the gauges: counted from the index alone, and only what is open, so that the price never grows
// with the jobs that have ended.
import type { Container } from "@azure/cosmos";
import type { JobError, ProcessState } from "../domain/state-record.ts";

/** Processed jobs are counted as they come by, not here. */
const UNFINISHED = ["Pending", "Processing"] as const satisfies readonly ProcessState[];

/** Why a job is in Error, and whether a person still has to see to it then. The others rest there for ever. */
const IS_OPEN = {
  rejected: true,
  expired: true,
  compensationIncomplete: true,
  compensationRequested: false,
  cancelled: false,
  resolved: false,
} as const satisfies Record<JobError["kind"], boolean>;

/** The kinds of error of jobs that a person still has to see to. */
export const OPEN_ERRORS = (Object.keys(IS_OPEN) as JobError["kind"][]).filter((kind) => IS_OPEN[kind]);

export interface JobCount {
  /** What is counted; `kind`: why it is in Error. */
  readonly of: "overdue" | { readonly state: ProcessState; readonly kind: JobError["kind"] | null };
  /** @param overdueBefore an instant: what was due before it is overdue. Throws where the store does not answer. */
  readonly count: (overdueBefore: string) => Promise<number>;
}

/** @param container its index has `processState` and `dueAt`, and `error.kind` together with `processState` */
export function createJobGauges(container: Container): readonly JobCount[] {
  async function count(condition: string, parameters: { readonly [name: string]: string }): Promise<number> {
    const query = {
      query: `SELECT VALUE COUNT(1) FROM c WHERE ${condition}`,
      parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })),
    };
    const { resources } = await container.items.query<number>(query).fetchAll();
    return resources[0] ?? 0;
  }

  const unfinished = UNFINISHED.map(
    (state): JobCount => ({
      of: { state, kind: null },
      count: () => count("c.processState = @state", { "@state": state }),
    }),
  );
  const inError = OPEN_ERRORS.map(
    (kind): JobCount => ({
      of: { state: "Error", kind },
      // Two filters, each over an index of its own, would be intersected, and all that ever ended in Error passes one of them: the
      // composite index has both. The kind first, for a store that takes only one: being compensated, a job keeps the kind of its cause.
      count: () => count("c.error.kind = @kind AND c.processState = 'Error'", { "@kind": kind }),
    }),
  );
  const overdue: JobCount = {
    of: "overdue",
    count: (before) => count("c.dueAt < @before", { "@before": before }),
  };
  return [...unfinished, ...inError, overdue];
}
