// Public entry `client`: for applications that submit jobs (P1, P15).
export type { CancelAnswer, CancelOptions } from "./cancellations.ts";
export {
  createJobClient,
  type FollowOptions,
  type JobClient,
  type JobClientOptions,
  type SubmitOptions,
  type WaitOptions,
} from "./job-client.ts";
export { JobClientError, type JobClientFault } from "./job-client-error.ts";
export type { JobEnd } from "./job-end.ts";
export type { JobRequest, JobStatus, Outputs, StatusMessage, WantedStatuses } from "./job-messages.ts";
