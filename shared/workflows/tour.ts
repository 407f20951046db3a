// The business of a tour with hired gear: a flight or else a car, a hotel that confirms later, and each piece of gear sent there by a carrier that is polled.
import type { RecoveryPolicy } from "@scheduler-agent-supervisor/core/workflows";
import { defineWorkflow } from "../define-workflow.ts";

const policy: RecoveryPolicy = {
  failureThreshold: 3,
  waits: ["PT1M"],
  onExhausted: "compensate",
  onRejected: "compensate",
};

const first = defineWorkflow({
  name: "tour",
  version: 1,
  policy,
  outputs: { hotel: "bookHotel.bookingId", flight: "bookFlight.bookingId", car: "rentCar.rentalId" },
  cancelUntil: "capturePayment",
  steps: [
    {
      name: "takePayment",
      agent: "payment",
      operation: "authorize",
      after: [],
      completeWithin: "PT10S",
      compensation: { operation: "void", completeWithin: "PT10S" },
    },
    {
      name: "bookFlight",
      agent: "flight",
      operation: "book",
      after: ["takePayment"],
      completeWithin: "PT10S",
      // Where no seat is free, they drive.
      otherwise: "rentCar",
      compensation: { operation: "cancel", completeWithin: "PT10S" },
    },
    {
      name: "rentCar",
      agent: "car",
      operation: "rent",
      after: ["bookFlight"],
      completeWithin: "PT10S",
      // The rental keeps no keys: nothing cancels what nobody knows of.
      policy: { onUnknown: "fail" },
      compensation: { operation: "cancel", completeWithin: "PT10S" },
    },
    {
      name: "bookHotel",
      agent: "hotel",
      operation: "book",
      after: ["bookFlight"],
      completeWithin: "PT10S",
      awaitWithin: "PT10M",
      compensation: { operation: "cancel", completeWithin: "PT10S" },
    },
    {
      name: "reserveGear",
      agent: "inventory",
      operation: "reserve",
      after: ["takePayment"],
      completeWithin: "PT10S",
      // Each piece by itself. A tour goes ahead without one that is not there.
      forEach: "lines",
      optional: true,
      compensation: { operation: "release", completeWithin: "PT10S" },
    },
    {
      name: "sendGear",
      agent: "shipping",
      operation: "arrange",
      after: ["reserveGear", "bookHotel"],
      // Nothing is sent unless all of it is there.
      needs: ["reserveGear"],
      completeWithin: "PT10S",
      // The carrier collects within two days, and is asked whether it has.
      awaitWithin: "P2D",
      compensation: { operation: "cancel", completeWithin: "PT10S" },
    },
    {
      name: "capturePayment",
      agent: "payment",
      operation: "capture",
      after: ["bookHotel", "sendGear"],
      completeWithin: "PT10S",
      compensation: { operation: "refund", completeWithin: "PT10S" },
    },
  ],
});

export const tours = [first] as const;
