// The agent of the bank: reserves the money, insures the loan, and pays out at most once.
import { defineAgent, idAs, statusAs, whatToCompensate } from "@scheduler-agent-supervisor/core/agents";
import { answers, seen } from "./seen.ts";

export const bankAgent = defineAgent({
  name: "bank",
  service: { setting: "BankEndpoints", local: "http://127.0.0.1:7183" },
  ...{ seen, answers },
  results: {
    reserve: idAs("reservationId"),
    release: statusAs("status"),
    insure: idAs("insuranceId"),
    uninsure: statusAs("status"),
    pay: idAs("payoutId"),
  },
  operations: {
    reserve: ({ job }) => ({ path: "reservations", body: job }),
    release: (call) => ({ path: `reservations/${whatToCompensate(call, "reservationId")}/release`, body: {} }),
    insure: ({ job }) => ({ path: "insurances", body: job }),
    uninsure: (call) => ({ path: `insurances/${whatToCompensate(call, "insuranceId")}/end`, body: {} }),
    pay: ({ job }) => ({ path: "payouts", body: job }),
  },
  policies: { pay: { atMostOnce: true } },
});
