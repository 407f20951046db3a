// Money back for goods that came back: of the original order's own charge, and over all of its returns at most what was captured.

import { mayHaveHadEffect, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Order } from "../contracts/order.ts";

/** The agent that keeps account of it: its resource is the original order's record. */
export const REFUNDS_AGENT = "refunds";

/** The step of `returns` that reserves, and the one that pays. */
export const RESERVING_STEP = "reserveRefund";
export const REFUNDING_STEP = "refundPayment";
/** The step of the original order whose charge is given back. */
const CAPTURING_STEP = "capturePayment";

/** All of them stand in one document. */
const MOST_RETURNS = 50;

/** In the smallest unit of the order's currency, by the return: what is reserved for it, or refunded; 0 of one that was compensated. */
export type Refunds = { readonly [returnId: string]: number };

/** A record with this agent's own member: of an order that is Processed, and of which goods came back. */
export interface RefundedRecord extends StateRecord {
  readonly refunds?: Refunds;
}

interface Charge {
  readonly chargeId: string;
  readonly captured: number;
}

/** An order's record, and its content in the revision that the record names. */
export interface KnownOrder {
  readonly record: RefundedRecord;
  readonly order: Order;
}

export type RefundDecision =
  /** An earlier run of the step has reserved it. */
  | { readonly kind: "reserved"; readonly chargeId: string }
  | { readonly kind: "reserve"; readonly chargeId: string; readonly refunds: Refunds }
  | { readonly kind: "rejected"; readonly reason: string };

/** @param amount in the currency's smallest unit */
export function decideRefund(own: KnownOrder, amount: number, original: KnownOrder | undefined): RefundDecision {
  const { jobId: returnId, owner, direction } = own.record;
  const { returnOf = "", currency } = own.order;
  // A run that was left behind by an attempt that is over.
  if (direction === "compensate") return rejected("the return is being compensated");
  // Whether another sender has such an order is nobody else's affair.
  if (!original || original.record.owner !== owner) return rejected(`there is no order "${returnOf}" of this sender`);
  const { record, order } = original;
  if (record.processState !== "Processed") return rejected(`order ${returnOf} is not Processed`);
  const charge = chargeOf(record);
  if (!charge) return rejected(`nothing was captured for order ${returnOf}`);
  if (order.currency !== currency) return rejected(`order ${returnOf} was paid in ${order.currency}`);
  const { [returnId]: reserved = 0, ...others } = record.refunds ?? {};
  if (reserved > 0 && reserved === amount) return { kind: "reserved", chargeId: charge.chargeId };
  if (reserved > 0) return rejected(`${reserved} is reserved for this return, and ${amount} is asked for`);
  if (amount <= 0) return rejected("the goods are worth nothing");
  const left = charge.captured - Object.values(others).reduce((sum, each) => sum + each, 0);
  if (amount > left) return rejected(`of order ${returnOf} ${left} is left to refund, and ${amount} is asked for`);
  if (Object.keys(others).length >= MOST_RETURNS)
    return rejected(`order ${returnOf} has ${MOST_RETURNS} returns already`);
  return { kind: "reserve", chargeId: charge.chargeId, refunds: { ...others, [returnId]: amount } };
}

/**
 * The original's refunds once this return has none; undefined where that is so, or it may have been paid. It is written also where nothing
 * was reserved: a reservation that is still on its way was decided on another version of the record, and is rejected then.
 */
export function decideRelease(own: StateRecord, original: RefundedRecord): Refunds | undefined {
  const refunding = own.steps[REFUNDING_STEP];
  if (original.refunds?.[own.jobId] === 0 || (refunding && mayHaveHadEffect(refunding))) return undefined;
  return { ...original.refunds, [own.jobId]: 0 };
}

function chargeOf({ steps }: StateRecord): Charge | undefined {
  const { state, result } = steps[CAPTURING_STEP] ?? {};
  const { chargeId, amount } = result ?? {};
  if (state !== "Completed" || typeof chargeId !== "string" || typeof amount !== "number") return undefined;
  return { chargeId, captured: amount };
}

function rejected(reason: string): RefundDecision {
  return { kind: "rejected", reason };
}
