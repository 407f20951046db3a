// The deadline of a whole job (P35): what its workflow says of it, and the instant in its record.

import { type JobDeadline, LONGEST_JOB_MS, type Workflow, type WorkflowStep } from "../definition/workflow.ts";
import { after, durationMs } from "../duration.ts";
import type { StateRecord } from "./state-record.ts";

/**
 * The deadline of a job that goes forward from now on; nothing if its workflow has none. It is in the record from then on: an edit of
 * `completeWithin` holds for the jobs that come after it.
 */
export function deadlineOf({ deadline }: Workflow, now: string): Pick<StateRecord, "deadlineAt"> {
  const ms = deadline && durationMs(deadline.completeWithin);
  return ms === undefined ? {} : { deadlineAt: after(now, ms) };
}

/** The record of a job that has ended or is to be compensated: no deadline applies to it any more, and no search for deadlines reads it. */
export function withoutDeadline<Of extends Pick<StateRecord, "deadlineAt">>({ deadlineAt: _, ...rest }: Of) {
  return rest;
}

const MEMBERS = ["completeWithin", "onExpired"];
const ON_EXPIRED = ["fail", "compensate"];

/** All faults of a workflow's deadline, as text. A workflow that was written without types may have anything there. */
export function deadlineFaults({ deadline, steps }: Workflow, where: string): string[] {
  if (deadline === undefined) return [];
  const at = `${where}: deadline`;
  if (deadline === null || typeof deadline !== "object" || Array.isArray(deadline))
    return [`${at} must be an object such as { completeWithin: "P14D", onExpired: "compensate" }, or absent`];
  const { completeWithin, onExpired }: Partial<JobDeadline> = deadline;
  const strange = Object.keys(deadline).filter((member) => !MEMBERS.includes(member));
  return [
    ...timeFaults(completeWithin, steps, `${at}.completeWithin`),
    ...(ON_EXPIRED.includes(onExpired ?? "") ? [] : [`${at}.onExpired must be "${ON_EXPIRED.join('" or "')}"`]),
    ...strange.map((member) => `${at}.${member}: it may have ${MEMBERS.join(" and ")}`),
  ];
}

function timeFaults(within: string | undefined, steps: readonly WorkflowStep[], at: string): string[] {
  const ms = durationMs(String(within ?? ""));
  if (ms === undefined)
    return [`${at} ${within ?? "is missing: it"} must be an ISO 8601 duration such as P14D, longer than zero`];
  if (ms > LONGEST_JOB_MS) return [`${at} ${within} is longer than a job may take: at most P366D`];
  const long = steps.filter(({ completeWithin }) => (durationMs(completeWithin) ?? 0) >= ms).map(({ name }) => name);
  if (long.length === 0) return [];
  return [
    `${at} ${within} is not longer than completeWithin of ${long.join(", ")}: the job's deadline would always come first`,
  ];
}
