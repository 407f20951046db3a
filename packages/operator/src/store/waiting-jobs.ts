// The jobs that do not move, or are overdue: the search reads only jobs that are due at some time, which are those that have not ended, and those that
// have and still owe a message.
import type { Container } from "@azure/cosmos";
import { START_REPEATED } from "@scheduler-agent-supervisor/core/domain";
import { type OpenStep, pendingSinceOf, type WaitingJob } from "../domain/waiting.ts";
import { LISTED_STEPS, openCondition } from "./waits-for.ts";

/**
 * Those that have not ended, and those that have, and whose message to the client or to operators could not be sent. Throws if the store does not
 * answer. `isAll` is false if there are more than the limit.
 */
export type ReadWaitingJobs = (
  than: {
    readonly unchangedSince: string;
    readonly overdueBefore: string;
    /** Of those that have ended. */
    readonly leftBefore: string;
  },
  limit: number,
) => Promise<FoundJobs>;

interface FoundJobs {
  readonly jobs: readonly WaitingJob[];
  readonly isAll: boolean;
}

type Run = OpenStep["run"];

interface Row extends Omit<WaitingJob, "reachedAt" | "pendingSince" | "open"> {
  readonly createdAt: string;
  readonly ends: readonly string[];
  readonly entries: readonly { readonly at: string; readonly what: string }[];
  readonly forward: readonly (Run & { readonly step: string; readonly agent: string })[];
  readonly compensations: readonly { readonly step: string; readonly agent: string; readonly run: Run }[];
}

const TIMES = ["scheduledAt", "startBy", "completeBy", "startedAt", "notBefore"];
const RUN = ["state", ...TIMES, "expiry", "accepted", "again", "waitCount"];

/**
 * It has timed out at least once, nobody has taken it up for a while, or nothing has changed for a while: what the supervisor writes each time it looks
 * is no progress. What a service reports later is in a list of its own, unless its agent polls in vain.
 */
const isHeldUp = (run: string) =>
  `(${run}.state IN ("NotStarted", "Scheduled", "Running") AND IS_DEFINED(${run}.expiry)) ` +
  `OR (${run}.state IN ("NotStarted", "Scheduled") AND ${run}.waitCount > 0) ` +
  `OR (${run}.state = "Scheduled" AND ${run}.scheduledAt < @before) ` +
  `OR (${run}.state = "Running" AND c.updatedAt < @before) ` +
  `OR (${run}.state = "Awaiting" AND ${run}.accepted.pollAt < @overdue) ` +
  `OR (${run}.state = "Awaiting" AND ${run}.expiry.at > (${run}.accepted.lastReportAt ?? ${run}.accepted.at))`;

const ROW =
  "c.jobId, c.workflow, c.processState, c.direction, c.dueAt, c.updatedAt, c.createdAt, c.unrecovered, " +
  `ARRAY(SELECT VALUE s.v.endedAt FROM ${LISTED_STEPS} WHERE IS_STRING(s.v.endedAt)) AS ends, ` +
  'ARRAY(SELECT h.at, h.what FROM h IN c.history WHERE c.processState = "Pending") AS entries, ' +
  `ARRAY(SELECT s.k AS step, s.v.agent, ${RUN.map((member) => `s.v.${member}`).join(", ")} FROM ${LISTED_STEPS} ` +
  `WHERE ${openCondition("s.v")}) AS forward, ` +
  `ARRAY(SELECT s.k AS step, s.v.agent, s.v.compensation AS run FROM ${LISTED_STEPS} ` +
  `WHERE ${openCondition("s.v.compensation")}) AS compensations`;

const HAS_A_HELD_UP_STEP =
  'c.processState IN ("Pending", "Processing") AND ' +
  `EXISTS(SELECT VALUE s FROM ${LISTED_STEPS} WHERE ${isHeldUp("s.v")} OR ${isHeldUp("s.v.compensation")})`;

/** The supervisor's last write was one more start of the same attempt. */
const IS_STARTED_IN_VAIN =
  "EXISTS(SELECT VALUE h FROM h IN c.history WHERE h.at = c.updatedAt AND h.what = @startRepeated)";

/** What has ended and owes nothing is never due: one index finds all others, in one query. */
const DOES_NOT_MOVE =
  'c.dueAt > "" AND (c.dueAt < @overdue OR IS_DEFINED(c.unrecovered) ' +
  'OR (NOT (c.processState IN ("Pending", "Processing")) AND c.dueAt < @left) ' +
  `OR (c.processState = "Pending" AND (c.updatedAt < @before OR ${IS_STARTED_IN_VAIN})) OR (${HAS_A_HELD_UP_STEP}))`;

/** @param container its index has `dueAt` */
export function createWaitingJobs(container: Container): ReadWaitingJobs {
  return async ({ unchangedSince, overdueBefore, leftBefore }, limit) => {
    const query = `SELECT TOP ${limit + 1} ${ROW} FROM c WHERE ${DOES_NOT_MOVE}`;
    const parameters = [
      { name: "@before", value: unchangedSince },
      { name: "@overdue", value: overdueBefore },
      { name: "@left", value: leftBefore },
      { name: "@startRepeated", value: START_REPEATED },
    ];
    const { resources } = await container.items.query<Row>({ query, parameters }, { maxItemCount: -1 }).fetchAll();
    return { jobs: resources.slice(0, limit).map(jobOf), isAll: resources.length <= limit };
  };
}

function jobOf({ createdAt, ends, entries, forward, compensations, ...job }: Row): WaitingJob {
  const pendingSince = pendingSinceOf(job, entries);
  const isForward = job.direction === "forward";
  const wanted = forward.filter(({ state }) => isForward || state !== "NotStarted");
  return {
    ...job,
    reachedAt: ends.reduce((latest, at) => (at > latest ? at : latest), createdAt),
    ...(pendingSince !== undefined && { pendingSince }),
    open: [
      ...wanted.map(({ step, agent, ...run }) => ({ step, agent, direction: "forward" as const, run })),
      ...compensations.map((open) => ({ ...open, direction: "compensate" as const })),
    ],
  };
}
