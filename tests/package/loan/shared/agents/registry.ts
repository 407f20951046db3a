// The agent of the registries: who the applicant is, what the income is, and whether there are sanctions.
import { defineAgent, idAs } from "@scheduler-agent-supervisor/core/agents";
import { answers, seen } from "./seen.ts";

export const registryAgent = defineAgent({
  name: "registry",
  service: { setting: "RegistryEndpoints", local: "http://127.0.0.1:7180" },
  ...{ seen, answers },
  results: { identity: idAs("identityId"), income: idAs("incomeId"), sanctions: idAs("sanctionsId") },
  operations: {
    identity: ({ job }) => ({ path: "identities", body: job }),
    income: ({ job }) => ({ path: "incomes", body: job }),
    sanctions: ({ job }) => ({ path: "sanctions", body: job }),
  },
});
