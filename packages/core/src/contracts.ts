// Public entry `core/contracts`: the content that clients may send (P1).
export type { BusinessKeys, Job, Priority } from "./domain/content/job.ts";
export {
  type Contract,
  type Contracts,
  defineContract,
  jobId,
  jobMembers,
  type TypedContract,
} from "./messaging/contract.ts";
