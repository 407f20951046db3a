// The agent of the flight service, which knows no idempotency keys: it is asked what it booked under our reference before it is asked to book again.
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentCall,
  type AgentReply,
  type Answer,
  type AnswerRule,
  callService,
  defineAgent,
  type Finding,
  keepId,
  keepStatus,
  lookUp,
  serviceId,
  statusResult,
} from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import type { Order, OrderLine } from "../contracts/order.ts";

const answers: readonly AnswerRule[] = [
  { status: 404, code: "not-found", means: "rejected" },
  /** Sold out. */
  { status: 409, means: "rejected" },
  { status: 422, means: "rejected" },
];

/** What it gets of an order. */
interface Seen extends Pick<Order, "orderId"> {
  readonly lines: readonly Pick<OrderLine, "sku" | "quantity">[];
}

type FlightCall = AgentCall<Pick<Order, "orderId">, unknown>;

const keep = keepId("bookingId");

/** Longer than the service takes to book, or to say that it can't. */
const SETTLES_WITHIN_MS = 3000;

export const flightAgent = defineAgent({
  name: "flight",
  service: { setting: "FlightEndpoints", local: "http://127.0.0.1:7086", isOptional: true },
  seen: ({ orderId, lines }: Order): Seen => ({
    orderId,
    lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
  }),
  results: { book: z.object({ bookingId: serviceId }), cancel: statusResult },
  operations: {
    book: (call) => {
      const { orderId, lines } = call.job;
      return callService(
        { path: "bookings", body: { orderId, lines, reference: call.idempotencyKey }, keep, answers },
        call,
      );
    },
    /** Compensates `book`. Where its outcome is unknown the service says whether there is a booking, once none can be under way any more. */
    cancel: async (call) => {
      const recorded = call.compensates?.result?.["bookingId"];
      if (recorded !== undefined && recorded !== null) return cancelled(String(recorded), call);
      const reference = call.compensates?.idempotencyKey ?? "";
      const first = await bookingUnder(reference, call);
      const found = first.kind === "absent" ? await settledBooking(reference, call) : first;
      if (found.kind === "absent") return { kind: "done", result: { status: "nothing-to-compensate" } };
      return found.kind === "done" ? cancelled(String(found.result["bookingId"]), call) : found;
    },
  },
  policies: {
    book: {
      tryTimeoutMs: 2000,
      find: { ask: (call: FlightCall) => bookingUnder(call.idempotencyKey, call), settlesWithinMs: SETTLES_WITHIN_MS },
    },
  },
});

function cancelled(bookingId: string, call: FlightCall): Promise<AgentReply> {
  const { orderId } = call.job;
  const path = `bookings/${encodeURIComponent(bookingId)}/cancel`;
  return callService({ path, body: { orderId }, keep: keepStatus, answers }, call);
}

/** "There is none" counts only after the time in which a try that was given up may still take effect. */
async function settledBooking(reference: string, call: FlightCall): Promise<Finding> {
  try {
    await sleep(SETTLES_WITHIN_MS, undefined, { signal: call.signal });
  } catch {
    return { kind: "unavailable", message: "a booking may still be under way", mayHaveHappened: false };
  }
  return bookingUnder(reference, call);
}

function bookingUnder(reference: string, call: FlightCall): Promise<Finding> {
  return lookUp({ path: `bookings?reference=${encodeURIComponent(reference)}`, keep: first }, call);
}

/** Null: there is no such booking. Undefined: this is no answer to the question. */
function first({ items }: Answer) {
  if (!Array.isArray(items)) return undefined;
  return items.length === 0 ? null : keep((items[0] ?? {}) as Answer);
}
