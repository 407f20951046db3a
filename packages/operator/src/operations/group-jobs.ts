// Groups the jobs that need a person by their cause: after the cause is fixed, the whole group can be handled together.
import { createHash } from "node:crypto";
import { type StateRecord, underlyingError } from "@scheduler-agent-supervisor/core/domain";
import type { Attention, CauseGroup } from "../contract.ts";
import { FINGERPRINT_VERSION, fingerprintOf } from "../domain/fingerprint.ts";
import type { OpenJob } from "../store/open-jobs.ts";

export interface GroupedJobs {
  readonly groups: Attention["groups"];
  /** The group that each job is in, by its id. */
  readonly groupOf: ReadonlyMap<string, string>;
}

/** Jobs that fit no other group, and all groups beyond the limit. */
const OTHER = "other";
const MOST_GROUPS = 50;
const HOUR_MS = 3_600_000;
const HOURS = 24;

type Caused = Pick<OpenJob, "jobId" | "workflow"> & { readonly error: OpenJob["error"] | null };
type Cause = Pick<CauseGroup, "id" | "workflow" | "step" | "kind" | "cause">;

/** @param now milliseconds since 1970 */
export function groupJobs(jobs: readonly OpenJob[], now: number): GroupedJobs {
  const members = new Map<string, { readonly cause: Cause; readonly jobs: OpenJob[] }>();
  for (const job of jobs) {
    const cause = causeOf(job);
    const known = members.get(cause.id);
    if (known) known.jobs.push(job);
    else members.set(cause.id, { cause, jobs: [job] });
  }
  const largestFirst = [...members.values()].sort((one, other) => other.jobs.length - one.jobs.length);
  const own = largestFirst.filter(({ cause }, place) => cause.id !== OTHER && place < MOST_GROUPS);
  const rest = largestFirst.filter((entry) => !own.includes(entry)).flatMap((entry) => entry.jobs);
  const shown = rest.length > 0 ? [...own, { cause: NO_CAUSE, jobs: rest }] : own;
  return {
    groups: shown.map(({ cause, jobs }) => groupOf(cause, jobs, now)),
    groupOf: new Map(shown.flatMap(({ cause, jobs }) => jobs.map(({ jobId }) => [jobId, cause.id] as const))),
  };
}

const NO_CAUSE: Cause = { id: OTHER, workflow: null, step: null, kind: null, cause: null };

/** The group of a job's fault, for any number of groups. */
export const causeIdOf = (job: Pick<StateRecord, "jobId" | "workflow" | "error">): string => causeOf(job).id;

function causeOf({ jobId, workflow, error }: Caused): Cause {
  const cause = error && fingerprintOf(underlyingError(error.message), [jobId]);
  if (!cause) return NO_CAUSE;
  const { step, kind } = error;
  const parts = [FINGERPRINT_VERSION, workflow.name, step, kind, cause];
  const id = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
  return { id, workflow: workflow.name, step, kind, cause };
}

function groupOf(cause: Cause, jobs: readonly OpenJob[], now: number): CauseGroup {
  const instants = jobs.map(({ error }) => error.at).sort();
  const hours = Array.from({ length: HOURS }, () => 0);
  for (const at of instants) {
    const hour = HOURS - 1 - Math.floor((now - Date.parse(at)) / HOUR_MS);
    if (hours[hour] !== undefined) hours[hour] += 1;
  }
  return {
    ...cause,
    example: jobs[0]?.error.message ?? "",
    count: jobs.length,
    firstSeen: instants[0] ?? "",
    lastSeen: instants.at(-1) ?? "",
    hours,
  };
}
