// The agent of the hotel service, which books later: it answers 202, and reports within minutes what came of it.
import { defineAgent, idAs, statusAs, whatToCompensate } from "@scheduler-agent-supervisor/core/agents";
import { goods, type Order } from "../contracts/order.ts";

export const hotelAgent = defineAgent({
  name: "hotel",
  service: { setting: "HotelEndpoints", local: "http://127.0.0.1:7085", isOptional: true },
  seen: ({ orderId, lines }: Order) => ({ orderId, lines: goods(lines) }),
  answers: [
    { status: 404, code: "not-found", means: "rejected" },
    /** No room is free. */
    { status: 409, means: "rejected" },
    { status: 422, means: "rejected" },
  ],
  results: { book: idAs("bookingId"), cancel: statusAs("status") },
  operations: {
    book: ({ job, completion }) => ({
      path: "bookings",
      body: { ...job, reportTo: completion?.url },
      mayBeDoneLater: true,
    }),
    /** Compensates `book`, also of a booking that the hotel has not confirmed yet. */
    cancel: (call) => ({
      path: `bookings/${whatToCompensate(call, "bookingId")}/cancel`,
      body: { orderId: call.job.orderId },
    }),
  },
});
