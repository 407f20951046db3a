// A loan whose contract is sent, signed by a person and paid out: the contract and the agent that several suites run.
import { defineAgent, idAs } from "@scheduler-agent-supervisor/core/agents";
import { defineContract, type Job, jobMembers } from "@scheduler-agent-supervisor/core/app";
import { z } from "zod";

interface Loan extends Job {
  readonly jobId: string;
}

const contract = defineContract<Loan>({
  schema: z.strictObject({ ...jobMembers("loan"), jobId: z.string() }),
  secrets: [],
  keys: [],
  keysOf: () => ({}),
});
export const contracts = { usual: contract, usualWorkflow: "loan", of: {} };

const once = { tries: 1, tryTimeoutMs: 60_000 };
const office = defineAgent({
  name: "office",
  service: { setting: "OfficeEndpoints", local: "http://127.0.0.1:7191" },
  seen: ({ jobId: id }: Loan) => ({ jobId: id }),
  answers: [{ status: 422, means: "rejected" }],
  results: { send: idAs("contractId"), withdraw: idAs("withdrawalId"), payOut: idAs("paymentId") },
  operations: {
    send: ({ completion }) => ({
      path: "contracts",
      body: { reportTo: completion?.url ?? null },
      mayBeDoneLater: true,
    }),
    withdraw: () => ({ path: "withdrawals", body: {} }),
    payOut: () => ({ path: "payments", body: {} }),
  },
  policies: { send: once, withdraw: once, payOut: once },
});
export const agents = [office] as const;
