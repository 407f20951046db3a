// The orders that a person has to see to: read by the index of why they are in Error, so that the price never grows with those that ended.
import type { Container } from "@azure/cosmos";
import { OPEN_ERRORS } from "./order-census.ts";
import { type Listed, listedMembers, type OrderSummary, summaryOf } from "./order-list.ts";

export interface OpenOrders {
  readonly orders: readonly OrderSummary[];
  /** False where there are more than the limit. */
  readonly isAll: boolean;
}

/** @param limit so many are read at most; throws where the store does not answer */
export type ReadOpenOrders = (limit: number) => Promise<OpenOrders>;

/** @param container its index has `error.kind` together with `processState` */
export function createOpenOrders(container: Container): ReadOpenOrders {
  async function ofKind(kind: string, limit: number): Promise<Listed[]> {
    const query = {
      query: `SELECT TOP ${limit} ${listedMembers()} FROM c WHERE c.error.kind = @kind AND c.processState = 'Error'`,
      parameters: [{ name: "@kind", value: kind }],
    };
    return (await container.items.query<Listed>(query, { maxItemCount: limit }).fetchAll()).resources;
  }

  return async (limit) => {
    const found = (await Promise.all(OPEN_ERRORS.map((kind) => ofKind(kind, limit + 1)))).flat();
    const orders = found
      .map(summaryOf)
      .sort((one, other) => since(other).localeCompare(since(one)) || one.orderId.localeCompare(other.orderId));
    return { orders: orders.slice(0, limit), isAll: orders.length <= limit };
  };
}

/** Since when a person has to see to it. */
function since({ error, updatedAt }: OrderSummary): string {
  return error?.at ?? updatedAt;
}
