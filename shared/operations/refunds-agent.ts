// The agent of `returns` whose resource is the state store: reserves in the original order's record what a return gives back.

import { type AgentResources, defineLocalAgent, type LocalReply } from "@scheduler-agent-supervisor/core/agents";
import type { Versioned } from "@scheduler-agent-supervisor/core/domain";
import { z } from "zod";
import { type Order, orderContract, orderTotal } from "../contracts/order.ts";
import { reservedRefund } from "../contracts/refund.ts";
import { decideRefund, decideRelease, type KnownOrder, REFUNDS_AGENT, type Refunds } from "../domain/refund.ts";

/** Each of them lost to another return's write, or to housekeeping's. */
const MOST_TRIES = 20;

export const refundsAgent = defineLocalAgent({
  name: REFUNDS_AGENT,
  seen: ({ orderId }: Order) => ({ orderId }),
  results: { reserve: reservedRefund, release: z.object({ status: z.string() }) },
  // It works on this app's own store.
  transports: ["activity"],
  operations: {
    reserve: ({ job }, resources) => untilWritten(job, refundsIn(resources).reserve),
    /** Compensates `reserve`. */
    release: ({ job }, resources) => untilWritten(job, refundsIn(resources).release),
  },
});

/** @param run undefined where another write came first: it then reads again */
async function untilWritten<Reply>(
  { orderId }: Pick<Order, "orderId">,
  run: (orderId: string) => Promise<Reply | undefined>,
): Promise<Reply> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const reply = await run(orderId);
    if (reply) return reply;
  }
  throw new Error(`what is refunded of the original of ${orderId} could not be written: too many write it at once`);
}

/**
 * Order of writes: the original's record at the version that was read, then the return's own (by the caller). After a death in between the
 * next run finds the return's amount in the original's record, and answers the same. Of two returns at once one is rejected its write,
 * and reads again what is left.
 */
function refundsIn({ store, now }: AgentResources) {
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

  async function reserve(returnId: string): Promise<LocalReply<z.output<typeof reservedRefund>> | undefined> {
    const own = await known(returnId);
    if (!own) throw new Error(`there is no order ${returnId}`);
    const { returnOf, currency } = own.order;
    const original = returnOf === undefined ? undefined : await known(returnOf);
    const amount = orderTotal(own.order);
    const decision = decideRefund(own, amount, original);
    if (decision.kind === "rejected") return { kind: "rejected", message: decision.reason };
    if (decision.kind === "reserve" && !(original && (await write(original, decision.refunds)))) return undefined;
    return { kind: "done", result: { chargeId: decision.chargeId, amount, currency } };
  }

  async function release(returnId: string): Promise<LocalReply<{ status: string }> | undefined> {
    const own = await known(returnId);
    const original = own?.order.returnOf === undefined ? undefined : await store.state(own.order.returnOf);
    const refunds = own && original && decideRelease(own.record, original.record);
    if (!original || !refunds) return { kind: "done", result: { status: "nothing-to-release" } };
    return (await write(original, refunds)) ? { kind: "done", result: { status: "released" } } : undefined;
  }

  return { reserve, release };
}
