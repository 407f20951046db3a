// Which jobs in Error still need a person.
import type { JobError } from "./state-record.ts";

/** Why a job is in Error, and whether it then still needs a person. The others stay there permanently. */
const IS_OPEN = {
  rejected: true,
  expired: true,
  compensationIncomplete: true,
  deadlinePassed: true,
  compensationRequested: false,
  cancelled: false,
  resolved: false,
} as const satisfies Record<JobError["kind"], boolean>;

/** The kinds of error of jobs that still need a person. */
export const OPEN_ERRORS = (Object.keys(IS_OPEN) as JobError["kind"][]).filter((kind) => IS_OPEN[kind]);
