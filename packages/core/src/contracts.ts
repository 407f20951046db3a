// Public entry `core/contracts`: the content that clients may send (P1).
export type { BusinessKeys } from "./domain/content/business-keys.ts";
export type { Job, Priority } from "./domain/content/job.ts";
export {
  type Contract,
  type Contracts,
  defineContract,
  jobId,
  jobMembers,
  type TypedContract,
} from "./messaging/contract.ts";
