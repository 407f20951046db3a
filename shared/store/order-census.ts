// How many orders stand where, for the gauges: counted from the index alone.
import type { Container } from "@azure/cosmos";
import type { OrderError, ProcessState } from "../domain/state-record.ts";

/** Processed orders are counted as they come by, not here: their number grows for ever, and so would the price. */
const UNFINISHED = ["Pending", "Processing"] as const satisfies readonly ProcessState[];

const KINDS = { rejected: 0, expired: 0, undone: 0, notUndone: 0, undoAsked: 0, settled: 0 } as const satisfies Record<
  OrderError["kind"],
  0
>;

export interface Census {
  readonly states: readonly {
    readonly state: ProcessState;
    /** Why it is in Error. */
    readonly kind: OrderError["kind"] | null;
    readonly orders: number;
  }[];
  readonly overdue: number;
}

/** @param overdueBefore an instant: what was due before it is overdue. Throws where the store does not answer. */
export type TakeCensus = (overdueBefore: string) => Promise<Census>;

/** @param container its index has `processState`, `error.kind` and `dueAt` */
export function createOrderCensus(container: Container): TakeCensus {
  async function count(condition: string, parameters: { readonly [name: string]: string }): Promise<number> {
    const query = {
      query: `SELECT VALUE COUNT(1) FROM c WHERE ${condition}`,
      parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })),
    };
    const { resources } = await container.items.query<number>(query).fetchAll();
    return resources[0] ?? 0;
  }

  return async (overdueBefore) => {
    const unfinished = UNFINISHED.map(async (state) => ({
      state,
      kind: null,
      orders: await count("c.processState = @state", { "@state": state }),
    }));
    const inError = (Object.keys(KINDS) as OrderError["kind"][]).map(async (kind) => ({
      state: "Error" as const,
      kind,
      orders: await count("c.processState = 'Error' AND c.error.kind = @kind", { "@kind": kind }),
    }));
    const [overdue, ...states] = await Promise.all([
      count("c.dueAt < @before", { "@before": overdueBefore }),
      ...unfinished,
      ...inError,
    ]);
    return { states, overdue };
  };
}
