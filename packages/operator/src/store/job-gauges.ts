// The number of jobs in each state, for the gauges: counted only from the index, and only the open ones, so that the cost never grows with the
// ended jobs.
import type { Container } from "@azure/cosmos";
import { type JobError, OPEN_ERRORS, type ProcessState } from "@scheduler-agent-supervisor/core/domain";
import type { OpenErrorCounts } from "./open-error-counts.ts";

/** Processed jobs are counted as events, not here. */
const UNFINISHED = ["Pending", "Processing"] as const satisfies readonly ProcessState[];

export interface JobGauge {
  /** The counted jobs; `kind`: why they are in Error. */
  readonly of: "overdue" | { readonly state: ProcessState; readonly kind: JobError["kind"] | null };
  /** @param overdueBefore an instant: a job that was due before it is overdue. Throws if the store does not answer. */
  readonly count: (overdueBefore: string) => Promise<number>;
}

/** @param container its index has `processState` and `dueAt` */
export function createJobGauges(container: Container, openErrors: OpenErrorCounts): readonly JobGauge[] {
  async function count(condition: string, parameters: { readonly [name: string]: string }): Promise<number> {
    const query = {
      query: `SELECT VALUE COUNT(1) FROM c WHERE ${condition}`,
      parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })),
    };
    const { resources } = await container.items.query<number>(query).fetchAll();
    return resources[0] ?? 0;
  }

  const unfinished = UNFINISHED.map(
    (state): JobGauge => ({
      of: { state, kind: null },
      count: () => count("c.processState = @state", { "@state": state }),
    }),
  );
  const inError = OPEN_ERRORS.map(
    (kind): JobGauge => ({
      of: { state: "Error", kind },
      count: async () => (await openErrors.read()).find((one) => one.kind === kind)?.count ?? 0,
    }),
  );
  const overdue: JobGauge = {
    of: "overdue",
    count: (before) => count("c.dueAt < @before", { "@before": before }),
  };
  return [...unfinished, ...inError, overdue];
}
