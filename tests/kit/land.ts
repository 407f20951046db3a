// A loan on land: the registry lists the plots, each of them is appraised by itself, and the bank pays for all of them.
import { defineAgent, idAs } from "@scheduler-agent-supervisor/core/agents";
import { defineApp, defineContract, type Job, jobId, jobMembers } from "@scheduler-agent-supervisor/core/app";
import { NO_RULES, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { z } from "zod";

interface Land extends Job {
  readonly jobId: string;
  readonly owner: string;
}

const contract = defineContract<Land>({
  schema: z.strictObject({ ...jobMembers("land"), jobId, owner: z.string() }),
  ...{ secrets: [], keys: [], keysOf: () => ({}) },
});
const contracts = { usual: contract, usualWorkflow: "land", of: {} };

const seen = ({ jobId: id, owner }: Land) => ({ jobId: id, owner });
const service = (setting: string, port: number) => ({
  setting: `${setting}Endpoints`,
  local: `http://127.0.0.1:${port}`,
});

const plot = z.object({ plotId: z.string() });

const registry = defineAgent({
  name: "registry",
  ...{ service: service("Registry", 7211), seen },
  // How many there are is known only from its answer.
  results: { survey: z.object({ surveyId: z.string(), plots: z.array(plot) }), close: idAs("closedId") },
  operations: {
    survey: ({ job }) => ({ path: "surveys", body: { owner: job.owner } }),
    close: ({ compensates }) => ({ path: "closings", body: { surveyId: compensates?.result?.["surveyId"] ?? null } }),
  },
});
const appraisers = defineAgent({
  name: "appraisers",
  ...{ service: service("Appraisers", 7212), seen },
  items: { appraise: plot, withdraw: plot },
  results: { appraise: z.object({ appraisalId: z.string(), value: z.number() }), withdraw: idAs("withdrawalId") },
  operations: {
    appraise: ({ item }) => ({ path: "appraisals", body: { ...item } }),
    withdraw: ({ item }) => ({ path: "withdrawals", body: { ...item } }),
  },
});
const bank = defineAgent({
  name: "landBank",
  ...{ service: service("LandBank", 7213), seen },
  // One appraisal for each plot, in the sequence of the survey.
  reads: { appraise: z.array(z.object({ value: z.number() })) },
  results: { pay: idAs("paymentId"), takeBack: idAs("refundId") },
  operations: {
    pay: ({ results: { appraise = [] } }) => ({
      path: "payments",
      body: { amount: appraise.reduce((sum, { value }) => sum + value, 0) },
    }),
    takeBack: () => ({ path: "refunds", body: {} }),
  },
});
const agents = [registry, appraisers, bank] as const;

const within = { completeWithin: "PT10S" } as const;
const takenBack = <const Operation extends string>(operation: Operation) =>
  ({ ...within, compensation: { operation, ...within } }) as const;

const land = workflowsOf(
  agents,
  NO_RULES,
  contracts,
)({
  name: "land",
  version: 1,
  policy: { failureThreshold: 3, waits: ["PT1M"], onExhausted: "compensate", onRejected: "compensate" },
  outputs: { paymentId: "pay.paymentId" },
  steps: [
    { name: "survey", agent: "registry", operation: "survey", after: [], ...takenBack("close") },
    {
      ...{ name: "appraise", agent: "appraisers", operation: "appraise", after: ["survey"], ...takenBack("withdraw") },
      forEach: "survey.plots",
    },
    { name: "pay", agent: "landBank", operation: "pay", after: ["appraise"], ...takenBack("takeBack") },
  ],
});

export const lands = defineApp({ contracts, agents, workflows: [land], rules: NO_RULES });
