// The agent of the flight service, which knows no idempotency keys: it is asked what it booked under our reference before it is asked to book again.
import {
  type AgentCall,
  type AnswerBody,
  defineAgent,
  type Finding,
  idAs,
  keepId,
  lookUp,
  statusAs,
} from "@scheduler-agent-supervisor/core/agents";
import { goods, type Order } from "../contracts/order.ts";

/** Longer than the service takes to book, or to say that it can't. */
const SETTLES_WITHIN_MS = 3000;

export const flightAgent = defineAgent({
  name: "flight",
  service: { setting: "FlightEndpoints", local: "http://127.0.0.1:7086", isOptional: true },
  seen: ({ orderId, lines }: Order) => ({ orderId, lines: goods(lines) }),
  answers: [
    { status: 404, code: "not-found", means: "rejected" },
    /** Sold out. */
    { status: 409, means: "rejected" },
    { status: 422, means: "rejected" },
  ],
  results: { book: idAs("bookingId"), cancel: statusAs("status") },
  operations: {
    book: ({ job, idempotencyKey }) => ({ path: "bookings", body: { ...job, reference: idempotencyKey } }),
    /** Compensates `book`. Where its outcome is unknown the service says whether there is a booking, once none can be under way any more. */
    cancel: async (call) => {
      const { orderId } = call.job;
      const found = await bookingToCancel(call);
      if (found.kind === "absent") return { kind: "done", result: { status: "nothing-to-compensate" } };
      if (found.kind !== "done") return found;
      const bookingId = String(found.result["bookingId"]);
      return { path: `bookings/${encodeURIComponent(bookingId)}/cancel`, body: { orderId } };
    },
  },
  policies: {
    book: {
      tryTimeoutMs: 2000,
      find: { ask: (call) => booked(call.idempotencyKey), settlesWithinMs: SETTLES_WITHIN_MS },
    },
  },
});

/** A query that has no rules of its own: only a person can say what a rejected one means. */
const booked = (reference: string) => ({
  path: `bookings?reference=${encodeURIComponent(reference)}`,
  keep: firstOf,
  answers: [],
});

/** Null: there is no such booking. Undefined: this is no answer to the question. */
function firstOf({ items }: AnswerBody) {
  if (!Array.isArray(items)) return undefined;
  return items.length === 0 ? null : keepId("bookingId")((items[0] ?? {}) as AnswerBody);
}

/** Asked once no request can take effect any more: "there is none" counts. */
async function bookingToCancel(call: AgentCall<object, unknown>): Promise<Finding> {
  const bookingId = call.compensates?.result?.["bookingId"];
  if (bookingId !== undefined && bookingId !== null) return { kind: "done", result: { bookingId } };
  return lookUp(booked(call.compensates?.idempotencyKey ?? ""), call);
}
