// Public entry `core/submission`: how a job is recorded, and taken back.
export { contentDigest } from "./submission/content-digest.ts";
export { type JobProgress, progressFor } from "./submission/job-progress.ts";
export { submitForCaller, submitJob } from "./submission/submit-job.ts";
export { takeCancellation } from "./submission/take-cancellation.ts";
