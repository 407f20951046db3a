// The contract of the core's own jobs to test with: goods that are sold. They are nobody's business but the tests'.
import { z } from "zod";
import { type Contracts, defineContract, jobId, jobMembers } from "../src/messaging/contract.ts";
import type { Goods } from "./jobs.ts";

export type { Goods } from "./jobs.ts";

export const USUAL_WORKFLOW = "job-fulfilment";

const text = z.string().trim().min(1).max(200);

export const goodsContract = defineContract<Goods>({
  schema: z.strictObject({
    jobId,
    ...jobMembers(USUAL_WORKFLOW),
    customer: z.strictObject({ id: text }),
    lines: z
      .array(
        z.strictObject({ sku: text, quantity: z.int().min(1).max(10_000), unitPrice: z.int().min(0).max(100_000_000) }),
      )
      .min(1)
      .max(100),
    currency: z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code such as EUR"),
    paymentToken: text,
  }),
  secrets: ["paymentToken"],
  keys: ["customer"],
  keysOf: ({ customer }) => ({ customer: customer.id }),
});

export const contracts: Contracts = { usual: goodsContract, usualWorkflow: USUAL_WORKFLOW, of: {} };
