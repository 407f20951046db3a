// The agent of the account service: opens an account, and closes it again.
import {
  type AnswerRule,
  callService,
  defineAgent,
  keepId,
  keepStatus,
  serviceId,
  statusResult,
  whatToCompensate,
} from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import type { Registration } from "../contract.ts";

/** The answers that are the service's word on the registration. Every other one is a fault of the endpoint, and is tried again. */
const answers: readonly AnswerRule[] = [
  { status: 409, means: "rejected" },
  { status: 422, means: "rejected" },
];

export const accountsAgent = defineAgent({
  name: "accounts",
  service: { setting: "AccountsEndpoints", local: "http://127.0.0.1:7080" },
  // All that the service gets to know.
  seen: ({ registrationId, email, plan, password }: Registration) => ({ registrationId, email, plan, password }),
  // What each operation records.
  results: { open: z.object({ accountId: serviceId }), close: statusResult },
  operations: {
    open: (call) => callService({ path: "accounts", body: call.job, keep: keepId("accountId"), answers }, call),
    /** Compensates `open`. */
    close: (call) => {
      const path = `accounts/${whatToCompensate(call, "accountId")}/close`;
      return callService({ path, body: { registrationId: call.job.registrationId }, keep: keepStatus, answers }, call);
    },
  },
});
