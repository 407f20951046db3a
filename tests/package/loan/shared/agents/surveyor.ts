// The agent of the surveyor, who appraises each collateral.
import { defineAgent, serviceId, statusAs, whatToCompensate } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import { collateral } from "../contract.ts";
import { answers, seen } from "./seen.ts";

export const surveyorAgent = defineAgent({
  name: "surveyor",
  service: { setting: "SurveyorEndpoints", local: "http://127.0.0.1:7181" },
  ...{ seen, answers },
  items: { appraise: collateral },
  results: { appraise: z.object({ id: serviceId, value: z.int() }), withdraw: statusAs("status") },
  operations: {
    appraise: ({ job, item }) => ({ path: "appraisals", body: { loanId: job.loanId, ...item } }),
    withdraw: (call) => ({ path: `appraisals/${whatToCompensate(call, "id")}/withdraw`, body: {} }),
  },
});
