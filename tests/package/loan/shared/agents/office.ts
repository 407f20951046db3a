// The agent of the loan office: asks a person, draws up the contract, has it signed, and enters it in the land register.
import { defineAgent, idAs, statusAs, whatToCompensate } from "@scheduler-agent-supervisor/core/agents";
import { answers, seen } from "./seen.ts";

export const officeAgent = defineAgent({
  name: "office",
  service: { setting: "OfficeEndpoints", local: "http://127.0.0.1:7182" },
  ...{ seen, answers },
  results: {
    approve: idAs("approvalId"),
    draft: idAs("draftId"),
    discard: statusAs("status"),
    sign: idAs("contractId"),
    cancel: statusAs("status"),
    register: idAs("lienId"),
    deregister: statusAs("status"),
    inform: idAs("letterId"),
  },
  operations: {
    approve: ({ job, completion }) => ({
      path: "approvals",
      body: { ...job, reportTo: completion?.url },
      mayBeDoneLater: true,
    }),
    draft: ({ job }) => ({ path: "drafts", body: job }),
    discard: (call) => ({ path: `drafts/${whatToCompensate(call, "draftId")}/discard`, body: {} }),
    sign: ({ job, completion }) => ({
      path: "contracts",
      body: { ...job, reportTo: completion?.url },
      mayBeDoneLater: true,
    }),
    cancel: (call) => ({ path: `contracts/${whatToCompensate(call, "contractId")}/cancel`, body: {} }),
    register: ({ job }) => ({ path: "liens", body: job }),
    deregister: (call) => ({ path: `liens/${whatToCompensate(call, "lienId")}/deregister`, body: {} }),
    inform: ({ job }) => ({ path: "letters", body: job }),
  },
});
