// Public entry `core/supervision`: the supervisor's sweep and its rules.
export { createAbsences } from "./supervisor/absences.ts";
export { STILL_PUBLISHED_MS } from "./supervisor/close-jobs.ts";
export { LEASE_BLOB, LEASE_CONTAINER, STORAGE_RETRY } from "./supervisor/connect.ts";
export type { Leadership } from "./supervisor/leadership.ts";
export { sweep, sweepFor } from "./supervisor/sweep.ts";
