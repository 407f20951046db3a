// The orders that a person has to see to: read by the index of why they are in Error, so that the price never grows with those that ended.
import type { Container, SqlParameter } from "@azure/cosmos";
import type { OrderError } from "../domain/state-record.ts";
import type { WorkflowRef } from "../domain/workflow.ts";
import { OPEN_ERRORS } from "./order-gauges.ts";

/** What a list of them shows: each member more makes every one of them dearer to read. */
export interface OpenOrder {
  readonly orderId: string;
  readonly workflow: WorkflowRef;
  readonly attempt: number;
  readonly error: Pick<OrderError, "kind" | "message" | "step" | "at">;
}

export interface OpenOrders {
  readonly orders: readonly OpenOrder[];
  /** False where there are more than the limit. */
  readonly isAll: boolean;
}

/** @param limit so many are read at most; throws where the store does not answer */
export type ReadOpenOrders = (limit: number) => Promise<OpenOrders>;

/** Values without names: a thousand orders are a third as long. All of them stand in every record that has an error. */
const ROW =
  "[c.orderId, c.workflow.name, c.workflow.version, c.attempt, c.error.kind, c.error.message, c.error.step, c.error.at]";
type Row = [string, string, number, number, OrderError["kind"], string, string | null, string];

/** @param container its index has `error.kind` together with `processState` */
export function createOpenOrders(container: Container): ReadOpenOrders {
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
      share === 0 ? [] : (await ofKind<Row>(`TOP ${share} VALUE ${ROW}`, kind)).map(orderOf),
    );
    const orders = (await Promise.all(read)).flat();
    orders.sort((one, other) => other.error.at.localeCompare(one.error.at) || one.orderId.localeCompare(other.orderId));
    return { orders, isAll: counts.reduce((sum, { count }) => sum + count, 0) <= limit };
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

function orderOf([orderId, name, version, attempt, kind, message, step, at]: Row): OpenOrder {
  return { orderId, workflow: { name, version }, attempt, error: { kind, message, step, at } };
}
