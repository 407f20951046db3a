// The agent of the account service: opens an account, and closes it again.
import { defineAgent, idAs, statusAs, whatToCompensate } from "@scheduler-agent-supervisor/core/agents";
import type { Registration } from "../contract.ts";

export const accountsAgent = defineAgent({
  name: "accounts",
  service: { setting: "AccountsEndpoints", local: "http://127.0.0.1:7080" },
  // All that the service gets to know.
  seen: ({ registrationId, email, plan, password }: Registration) => ({ registrationId, email, plan, password }),
  // The answers that are the service's decision about the registration. Every other one is a fault of the endpoint, and is tried again.
  answers: [
    { status: 409, means: "rejected" },
    { status: 422, means: "rejected" },
  ],
  // What each operation records: the answer's `id` as `accountId`, and its `status`.
  results: { open: idAs("accountId"), close: statusAs("status") },
  operations: {
    open: ({ job }) => ({ path: "accounts", body: job }),
    /** Compensates `open`. */
    close: (call) => ({
      path: `accounts/${whatToCompensate(call, "accountId")}/close`,
      body: { registrationId: call.job.registrationId },
    }),
  },
});
