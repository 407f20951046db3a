// The business that the core's own tests run on: videos are stored, encoded and listed. No app of ours does that.
import { z } from "zod";
import { defineAgent } from "../src/app/define-agent.ts";
import { defineApp } from "../src/app/define-app.ts";
import { workflowsOf } from "../src/app/define-workflow.ts";
import type { Job } from "../src/domain/content/job.ts";
import type { Situation, WorkflowRules } from "../src/domain/workflows/workflow-rules.ts";
import { defineContract, jobId, jobMembers } from "../src/messaging/contract.ts";

export interface Video extends Job {
  readonly jobId: string;
  readonly title: string;
  readonly minutes: number;
  readonly languages: readonly string[];
  readonly uploadToken: string;
}

const contract = defineContract<Video>({
  schema: z.strictObject({
    ...jobMembers("publishing"),
    jobId,
    title: z.string().min(1),
    minutes: z.int().min(1),
    languages: z.array(z.string()).max(20),
    uploadToken: z.string(),
  }),
  secrets: ["uploadToken"],
  keys: ["title"],
  keysOf: ({ title }) => ({ title }),
});

const stored = z.object({ blobId: z.string() });
const nothing = z.object({ status: z.string() });
const done = async () => ({ kind: "done", result: { status: "done" } }) as const;

export const storageAgent = defineAgent({
  name: "storage",
  service: { setting: "StorageEndpoints", local: "http://127.0.0.1:7180" },
  seen: ({ jobId, uploadToken }: Video) => ({ jobId, uploadToken }),
  results: { keep: stored, drop: nothing },
  operations: {
    keep: async ({ job }) => ({ kind: "done", result: { blobId: `blob-${job.jobId}` } }),
    drop: done,
  },
});

export const encoderAgent = defineAgent({
  name: "encoder",
  service: { setting: "EncoderEndpoints", local: "http://127.0.0.1:7181" },
  seen: ({ jobId, minutes }: Video) => ({ jobId, minutes }),
  reads: { keepFile: stored },
  results: { encode: z.object({ encodedId: z.string(), from: z.string() }), discard: nothing },
  operations: {
    encode: async ({ job, results }) => {
      const { blobId: from } = results.keepFile ?? {};
      if (from === undefined) return { kind: "rejected", message: "there is no file" };
      return { kind: "done", result: { encodedId: `encoded-${job.jobId}`, from } };
    },
    discard: done,
  },
});

const catalogAgent = defineAgent({
  name: "catalog",
  service: { setting: "CatalogEndpoints", local: "http://127.0.0.1:7182", isOptional: true },
  seen: ({ jobId, title }: Video) => ({ jobId, title }),
  results: { list: z.object({ entryId: z.string() }), remove: nothing },
  operations: {
    list: async ({ job }) => ({ kind: "done", result: { entryId: job.title } }),
    remove: done,
  },
});

const agents = [storageAgent, encoderAgent, catalogAgent] as const;

const rules = {
  conditions: { isLong: ({ job }: Situation<Video>) => job.minutes > 60 },
  lists: { languages: ({ languages }: Video) => languages.map((language) => ({ language })) },
} as const satisfies WorkflowRules;

export const defineWorkflow = workflowsOf(agents, rules);

export const POLICY = { failureThreshold: 3, waits: [], onExhausted: "compensate", onRejected: "compensate" } as const;

export const publishing = defineWorkflow({
  name: "publishing",
  version: 1,
  policy: POLICY,
  outputs: { entry: "listVideo.entryId" },
  cancelUntil: "listVideo",
  steps: [
    {
      name: "keepFile",
      agent: "storage",
      operation: "keep",
      after: [],
      completeWithin: "PT10S",
      compensation: { operation: "drop", completeWithin: "PT10S" },
    },
    {
      name: "encode",
      agent: "encoder",
      operation: "encode",
      after: ["keepFile"],
      completeWithin: "PT1M",
      compensation: { operation: "discard", completeWithin: "PT10S" },
    },
    {
      name: "listVideo",
      agent: "catalog",
      operation: "list",
      after: ["encode"],
      completeWithin: "PT10S",
      compensation: { operation: "remove", completeWithin: "PT10S" },
    },
  ],
});

export const videos = defineApp({
  contracts: { usual: contract, usualWorkflow: "publishing", of: {} },
  agents,
  workflows: [publishing],
  rules,
});

/** The settings that such an app needs at least. */
export const SETTINGS = {
  ServiceBus: "Endpoint=sb://127.0.0.1/",
  Cosmos: "AccountEndpoint=https://127.0.0.1:1/;AccountKey=a2V5",
  AzureWebJobsStorage: "UseDevelopmentStorage=true",
  StorageEndpoints: "http://127.0.0.1:1",
  EncoderEndpoints: "http://127.0.0.1:1",
};
