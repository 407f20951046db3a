// The orders of which a step is done later by its service: looked for among those that have not ended, and among no others.
import type { Container } from "@azure/cosmos";
import type { StateRecord } from "../domain/state-record.ts";

export type AwaitingOrder = Pick<StateRecord, "orderId" | "workflow" | "steps">;

/** Throws where the store does not answer. `isAll` is false where there are more than the limit. */
export type ReadAwaitingOrders = (
  limit: number,
) => Promise<{ readonly orders: readonly AwaitingOrder[]; readonly isAll: boolean }>;

/**
 * What is read are the orders that have not ended and had a step that was done later.
 * @param container its index has `processState` and `hasWaited`
 */
export function createAwaitingOrders(container: Container): ReadAwaitingOrders {
  return async (limit) => {
    // The steps' names are members: only as an array can they be looked through.
    const awaits =
      "SELECT VALUE s FROM (SELECT VALUE ObjectToArray(c.steps)) AS listed JOIN s IN listed " +
      'WHERE s.v.state = "Awaiting" OR s.v.compensation.state = "Awaiting"';
    const query =
      `SELECT TOP ${limit + 1} c.orderId, c.workflow, c.steps FROM c ` +
      `WHERE c.hasWaited = true AND c.processState IN ("Pending", "Processing") AND EXISTS(${awaits})`;
    const { resources } = await container.items.query<AwaitingOrder>(query, { maxItemCount: -1 }).fetchAll();
    return { orders: resources.slice(0, limit), isAll: resources.length <= limit };
  };
}
