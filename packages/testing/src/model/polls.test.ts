// A service that is polled for what it does later, beside one that reports it, in an exploration (P6, P20).
import { defineAgent, idAs } from "@scheduler-agent-supervisor/core/agents";
import {
  type Contracts,
  defineApp,
  defineContract,
  type Job,
  jobId,
  jobMembers,
} from "@scheduler-agent-supervisor/core/app";
import { workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { z } from "zod";
import { explore } from "./explore.ts";

interface Parcel extends Job {
  readonly jobId: string;
}
const contracts = {
  usual: defineContract<Parcel>({
    ...{ schema: z.strictObject({ ...jobMembers("parcel"), jobId }), secrets: [], keys: [], keysOf: () => ({}) },
  }),
  usualWorkflow: "parcel",
  of: {},
} satisfies Contracts;
const request = () => ({ path: "trips", body: {} });
const carrier = defineAgent({
  ...{ name: "carrier", service: { setting: "CarrierEndpoints", local: "http://127.0.0.1:7191" } },
  seen: ({ jobId: id }: Parcel) => ({ jobId: id }),
  results: { collect: idAs("tripId"), carry: idAs("tripId"), bringBack: idAs("tripId") },
  operations: { collect: request, carry: request, bringBack: request },
});
const rules = { conditions: {}, lists: {} } as const;
const later = { completeWithin: "PT10S", awaitWithin: "P1D" } as const;
const parcel = workflowsOf(
  [carrier],
  rules,
  contracts,
)({
  ...{ name: "parcel", version: 1 },
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    {
      ...{ name: "collect", agent: "carrier", operation: "collect", after: [], ...later },
      compensation: { operation: "bringBack", ...later },
    },
    { name: "carry", agent: "carrier", operation: "carry", after: ["collect"], ...later, compensation: "nothing" },
  ],
});
const business = defineApp({ contracts, agents: [carrier], workflows: [parcel], rules });

test.each([
  { polled: ["collect"], left: ["polls (services report what they do later): carry"] },
  { polled: ["collect", "carry"], left: [] },
])(
  "P20 $polled: polled, rejected once, and once without an answer, it ends, and nothing is left half done",
  async (row) => {
    const { complete, violation, ends, unseen, notModelled } = await explore(business, "parcel", {
      ...{ polled: row.polled, goesWrong: { rejections: 1, timeouts: 1 } },
    });
    expect(violation?.way).toBeUndefined();
    expect({ complete, ends, notModelled }).toEqual({
      ...{ complete: true, ends: ["Compensated", "Error", "Processed"], notModelled: row.left },
    });
    expect({ steps: unseen.steps, compensations: unseen.compensations }).toEqual({
      steps: [],
      compensations: [],
    });
  },
);

test("a step that no service does later can't be polled", async () => {
  await expect(explore(business, "parcel", { polled: ["colect"] })).rejects.toThrow(
    "The workflow awaits no service's answer in colect.",
  );
});
