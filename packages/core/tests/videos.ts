// The business that the core's own tests run on: videos are stored, encoded and listed. No app of ours does that.
import { z } from "zod";
import { defineAgent } from "../src/app/define-agent.ts";
import { defineApp } from "../src/app/define-app.ts";
import { workflowsOf } from "../src/app/define-workflow.ts";
import { ORDER } from "../src/domain/noun.ts";
import type { Order } from "../src/domain/order.ts";
import type { Situation, WorkflowRules } from "../src/domain/workflow-rules.ts";
import { defineContract, orderId, orderMembers } from "../src/messaging/contract.ts";

export interface Video extends Order {
  readonly orderId: string;
  readonly title: string;
  readonly minutes: number;
  readonly languages: readonly string[];
  readonly uploadToken: string;
}

const contract = defineContract<Video>({
  schema: z.strictObject({
    ...orderMembers("publishing"),
    orderId,
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
  seen: ({ orderId, uploadToken }: Video) => ({ orderId, uploadToken }),
  results: { keep: stored, drop: nothing },
  operations: {
    keep: async ({ order }) => ({ kind: "done", result: { blobId: `blob-${order.orderId}` } }),
    drop: done,
  },
});

export const encoderAgent = defineAgent({
  name: "encoder",
  service: { setting: "EncoderEndpoints", local: "http://127.0.0.1:7181" },
  seen: ({ orderId, minutes }: Video) => ({ orderId, minutes }),
  reads: { keepFile: stored },
  results: { encode: z.object({ encodedId: z.string(), from: z.string() }), discard: nothing },
  operations: {
    encode: async ({ order, results }) => {
      const { blobId: from } = results.keepFile ?? {};
      if (from === undefined) return { kind: "rejected", message: "there is no file" };
      return { kind: "done", result: { encodedId: `encoded-${order.orderId}`, from } };
    },
    discard: done,
  },
});

export const catalogAgent = defineAgent({
  name: "catalog",
  service: { setting: "CatalogEndpoints", local: "http://127.0.0.1:7182", isOptional: true },
  seen: ({ orderId, title }: Video) => ({ orderId, title }),
  results: { list: z.object({ entryId: z.string() }), remove: nothing },
  operations: {
    list: async ({ order }) => ({ kind: "done", result: { entryId: order.title } }),
    remove: done,
  },
});

const agents = [storageAgent, encoderAgent, catalogAgent] as const;

const rules = {
  conditions: { isLong: ({ order }: Situation<Video>) => order.minutes > 60 },
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
  contracts: { noun: ORDER, usual: contract, usualWorkflow: "publishing", of: {} },
  agents,
  workflows: [publishing],
  rules,
});
