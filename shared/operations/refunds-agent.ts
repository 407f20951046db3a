// The agent of `returns` whose resource is the state store: reserves in the original order's record what a return gives back.

import {
  type AgentResources,
  type BoundedReply,
  defineLocalAgent,
  type RoutedAgent,
} from "@scheduler-agent-supervisor/core/agents";
import type { Versioned } from "@scheduler-agent-supervisor/core/records";
import { z } from "zod";
import { type Order, orderContract, orderTotal } from "../contracts/order.ts";
import { reservedRefund } from "../contracts/refund.ts";
import { decideRefund, decideRelease, type KnownOrder, REFUNDS_AGENT, type Refunds } from "../domain/refund.ts";

/** Each of them lost to another return's write, or to housekeeping's. */
const MOST_TRIES = 20;

const results = { reserve: reservedRefund, release: z.object({ status: z.string() }) };

export const refundsAgent = defineLocalAgent({
  name: REFUNDS_AGENT,
  results,
  // It works on this app's own store.
  transports: ["activity"],
  create: createRefundsAgent,
});

const ROUTE = { endpoint: "state store", because: "the original order's record says what is left" } as const;

/**
 * Order of writes: the original's record at the version that was read, then the return's own (by the caller). After a death in between the
 * next run finds the return's amount in the original's record, and answers the same. Of two returns at once one is rejected its write,
 * and reads again what is left.
 */
function createRefundsAgent({ store, now }: AgentResources): RoutedAgent {
  async function known(orderId: string): Promise<(KnownOrder & Versioned) | undefined> {
    const read = await store.state(orderId);
    return read && { ...read, order: (await store.job(orderId, read.record.jobRevision)) as Order };
  }

  /** False where somebody has written the record since it was read. */
  async function write({ record, etag }: Versioned, refunds: Refunds): Promise<boolean> {
    const changed = { ...record, refunds };
    const { keptUntil, jobRevision: revisions } = record;
    // The documents of one that is closed go together: all of them are written, and their time runs anew.
    const keepMs = keptUntil ? Math.max(1000, Date.parse(keptUntil) - now()) : null;
    const { secrets } = orderContract;
    const read = { record, etag };
    const written =
      keepMs === null ? store.replace(read, changed) : store.close(read, changed, { revisions, keepMs, secrets });
    return (await written).kind === "written";
  }

  async function reserve(returnId: string): Promise<BoundedReply | undefined> {
    const own = await known(returnId);
    if (!own) throw new Error(`there is no order ${returnId}`);
    const { returnOf, currency } = own.order;
    const original = returnOf === undefined ? undefined : await known(returnOf);
    const amount = orderTotal(own.order);
    const decision = decideRefund(own, amount, original);
    if (decision.kind === "rejected") return { ...ROUTE, kind: "rejected", message: decision.reason };
    if (decision.kind === "reserve" && !(original && (await write(original, decision.refunds)))) return undefined;
    return { ...ROUTE, kind: "done", result: { chargeId: decision.chargeId, amount, currency } };
  }

  async function release(returnId: string): Promise<BoundedReply | undefined> {
    const own = await known(returnId);
    const original = own?.order.returnOf === undefined ? undefined : await store.state(own.order.returnOf);
    const refunds = own && original && decideRelease(own.record, original.record);
    if (!original || !refunds) return { ...ROUTE, kind: "done", result: { status: "nothing-to-release" } };
    return (await write(original, refunds)) ? { ...ROUTE, kind: "done", result: { status: "released" } } : undefined;
  }

  return {
    name: REFUNDS_AGENT,
    operationNames: Object.keys(results),
    async call(operation, { job: order }, { takeUp }) {
      // It declares nothing that it gets.
      const { orderId } = order as Pick<Order, "orderId">;
      if ((await takeUp()) === undefined) return { kind: "notTakenUp" };
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const reply = await (operation === "reserve" ? reserve(orderId) : release(orderId));
        if (reply) return reply;
      }
      throw new Error(`what is refunded of the original of ${orderId} could not be written: too many write it at once`);
    },
  };
}
