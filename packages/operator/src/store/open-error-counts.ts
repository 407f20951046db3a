// The number of jobs in Error that need a person, by the kind of their error: counted once for all gauges.
import type { Container } from "@azure/cosmos";
import { type JobError, OPEN_ERRORS } from "@scheduler-agent-supervisor/core/domain";
import { remembered } from "@scheduler-agent-supervisor/core/store";

export interface OpenErrorCount {
  readonly kind: JobError["kind"];
  readonly count: number;
}

export interface OpenErrorCounts {
  /** At most some seconds old. Throws if the store does not answer. */
  read(): Promise<readonly OpenErrorCount[]>;
}

// Two filters, each with its own index, would be intersected, and all jobs that ever ended in Error match one of them: the composite index has both. The
// kind comes first, for a store that uses only one: a job keeps the kind of its cause while it is compensated.
const QUERY = "SELECT VALUE COUNT(1) FROM c WHERE c.error.kind = @kind AND c.processState = 'Error'";

/** @param container its index has `error.kind` together with `processState` */
export function createOpenErrorCounts(container: Container, now: () => number): OpenErrorCounts {
  return remembered(now, () =>
    Promise.all(
      OPEN_ERRORS.map(async (kind) => {
        const query = { query: QUERY, parameters: [{ name: "@kind", value: kind }] };
        return { kind, count: (await container.items.query<number>(query).fetchAll()).resources[0] ?? 0 };
      }),
    ),
  );
}
