// What an operation adds to its service's answer is added to the answers of its queries too: otherwise no query has a result that fits.
import { defineAgent, idAs } from "@scheduler-agent-supervisor/core/agents";
import {
  type Contracts,
  defineApp,
  defineContract,
  type Job,
  jobId,
  jobMembers,
} from "@scheduler-agent-supervisor/core/app";
import { NO_RULES, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { z } from "zod";
import { createWorld } from "./create-world.ts";

interface Claim extends Job {
  readonly jobId: string;
  readonly amount: number;
}
const claims = defineContract<Claim>({
  schema: z.strictObject({ ...jobMembers("claim"), jobId, amount: z.int() }),
  ...{ secrets: [], keys: [], keysOf: () => ({}) },
});
const contracts = { usual: claims, usualWorkflow: "claim", of: {} } satisfies Contracts;

const seen = ({ jobId, amount }: Claim) => ({ jobId, amount });
const assessed = {
  name: "expert",
  service: { setting: "ExpertEndpoints", local: "http://127.0.0.1:7280" },
  seen,
  results: { assess: idAs("assessmentId", { amount: z.int() }) },
} as const;
type Given = { readonly job: ReturnType<typeof seen> };
const assess = ({ job }: Given) =>
  ({ path: "assessments", body: job, mayBeDoneLater: true, adds: { amount: job.amount } }) as const;
const path = (reference: string) => `assessments/${encodeURIComponent(reference)}`;

const expert = defineAgent({
  ...assessed,
  operations: { assess },
  policies: {
    assess: {
      poll: ({ job }, reference = "") => ({ path: path(reference), adds: { amount: job.amount } }),
      find: {
        ask: ({ job, idempotencyKey }) => ({ path: path(idempotencyKey), adds: { amount: job.amount } }),
        settlesWithinMs: 0,
      },
    },
  },
});

const planted = [
  () =>
    defineAgent({
      ...assessed,
      operations: { assess },
      // @ts-expect-error its answer alone is no result
      policies: { assess: { poll: (_, reference = "") => ({ path: path(reference) }) } },
    }),
  () =>
    defineAgent({
      ...assessed,
      operations: { assess },
      // @ts-expect-error nor when the service is asked what it did
      policies: { assess: { find: { ask: () => ({ path: path("") }), settlesWithinMs: 0 } } },
    }),
  () =>
    defineAgent({
      ...assessed,
      operations: { assess },
      // @ts-expect-error it is a number
      policies: { assess: { poll: (_, reference = "") => ({ path: path(reference), adds: { amount: "much" } }) } },
    }),
];

test("P22 a step that is polled records what its query adds to the answer", async () => {
  const workflow = workflowsOf(
    [expert],
    NO_RULES,
    contracts,
  )({
    ...{ name: "claim", version: 1 },
    policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
    steps: [
      {
        ...{ name: "assess", agent: "expert", operation: "assess", after: [], compensation: "nothing" },
        ...{ completeWithin: "PT10S", awaitWithin: "P1D" },
      },
    ],
  });
  const world = createWorld({ business: defineApp({ contracts, agents: [expert], workflows: [workflow] }) });
  world.service("expert").isDoneLater("assess", { after: "PT5M", askAgainAfter: "PT1M" });
  await world.submit({ jobId: "claim-1", amount: 7 });
  await world.run();
  expect(world.results("claim-1")).toEqual({ assess: { assessmentId: expect.any(String), amount: 7 } });
  expect(planted).toHaveLength(3);
});
