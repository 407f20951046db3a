// The business of booking a trip: money first; where it is much, a person agrees; then hotel, flight and car side by side; then the money is taken.
import type { RecoveryPolicy } from "@scheduler-agent-supervisor/core/workflows";
import { defineWorkflow } from "../define-workflow.ts";

const policy: RecoveryPolicy = {
  failureThreshold: 3,
  waits: ["PT1M"],
  onExhausted: "compensate",
  onRejected: "compensate",
};

const outputs = { hotel: "bookHotel.bookingId", flight: "bookFlight.bookingId", car: "rentCar.rentalId" } as const;

const takePayment = {
  name: "takePayment",
  agent: "payment",
  operation: "authorize",
  after: [],
  completeWithin: "PT10S",
  compensation: { operation: "void", completeWithin: "PT10S" },
} as const;

const approveTrip = {
  name: "approveTrip",
  agent: "approval",
  operation: "ask",
  when: "isExpensive",
  // Reminded when a day is over.
  assignee: "travel-desk",
  after: ["takePayment"],
  completeWithin: "PT10S",
  awaitWithin: "P2D",
  compensation: "nothing",
} as const;

const bookHotel = {
  name: "bookHotel",
  agent: "hotel",
  operation: "book",
  after: ["approveTrip"],
  completeWithin: "PT10S",
  // It confirms within ten minutes.
  awaitWithin: "PT10M",
  compensation: { operation: "cancel", completeWithin: "PT10S" },
} as const;

const bookFlight = {
  name: "bookFlight",
  agent: "flight",
  operation: "book",
  after: ["approveTrip"],
  completeWithin: "PT10S",
  compensation: { operation: "cancel", completeWithin: "PT10S" },
} as const;

const rentCar = {
  name: "rentCar",
  agent: "car",
  operation: "rent",
  after: ["approveTrip"],
  completeWithin: "PT10S",
  // A trip goes ahead without it. The rental keeps no keys, so nothing cancels what nobody knows of: a person asks there.
  optional: true,
  policy: { onUnknown: "fail" },
  compensation: { operation: "cancel", completeWithin: "PT10S" },
} as const;

const capturePayment = {
  name: "capturePayment",
  agent: "payment",
  operation: "capture",
  after: ["bookHotel", "bookFlight", "rentCar"],
  completeWithin: "PT10S",
  compensation: { operation: "refund", completeWithin: "PT10S" },
} as const;

const first = defineWorkflow({
  name: "trip",
  version: 1,
  policy,
  outputs,
  cancelUntil: "capturePayment",
  steps: [takePayment, approveTrip, bookHotel, bookFlight, rentCar, capturePayment],
});

export const trips = [first] as const;
