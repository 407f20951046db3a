// The agent of the car rental, which keeps no keys and has no query: it rents a car for each request, so none is sent twice, and what nobody knows of
// a person has to find.
import { defineAgent, idAs, statusAs, whatToCompensate } from "@scheduler-agent-supervisor/core/agents";
import { goods, type Order } from "../contracts/order.ts";

export const carAgent = defineAgent({
  name: "car",
  service: { setting: "CarEndpoints", local: "http://127.0.0.1:7087", isOptional: true },
  seen: ({ orderId, lines }: Order) => ({ orderId, lines: goods(lines) }),
  answers: [
    { status: 404, code: "not-found", means: "rejected" },
    /** No car is free. */
    { status: 409, means: "rejected" },
    { status: 422, means: "rejected" },
  ],
  results: { rent: idAs("rentalId"), cancel: statusAs("status") },
  operations: {
    // By the reference a person can find the rental there.
    rent: ({ job, idempotencyKey }) => ({ path: "rentals", body: { ...job, reference: idempotencyKey } }),
    /** Compensates `rent`. */
    cancel: (call) => ({
      path: `rentals/${whatToCompensate(call, "rentalId")}/cancel`,
      body: { orderId: call.job.orderId },
    }),
  },
  policies: { rent: { atMostOnce: true } },
});
