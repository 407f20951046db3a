// The jobs that do not move, or are overdue: the search reads only jobs that have not ended, and those that have and still owe a message.
import type { Container, SqlParameter } from "@azure/cosmos";
import type { OpenStep, WaitingJob } from "@scheduler-agent-supervisor/core/domain";
import { LISTED_STEPS, openCondition } from "@scheduler-agent-supervisor/core/store";

/** Each throws if the store does not answer. `isAll` is false if there are more than the limit. */
export interface ReadWaitingJobs {
  /** Those that have not ended. */
  unmoved(than: { readonly unchangedSince: string; readonly overdueBefore: string }, limit: number): Promise<FoundJobs>;
  /** Those that have ended, and whose message to the client or to operators could not be sent. */
  owing(overdueBefore: string, limit: number): Promise<FoundJobs>;
}

interface FoundJobs {
  readonly jobs: readonly WaitingJob[];
  readonly isAll: boolean;
}

type Run = OpenStep["run"];

interface Row extends Omit<WaitingJob, "reachedAt" | "open"> {
  readonly createdAt: string;
  readonly ends: readonly string[];
  readonly forward: readonly (Run & { readonly step: string; readonly agent: string })[];
  readonly compensations: readonly { readonly step: string; readonly agent: string; readonly run: Run }[];
}

const RUN = ["state", "scheduledAt", "startBy", "completeBy", "startedAt", "notBefore", "expiry", "accepted"];

/** It has timed out at least once, or nothing has changed for a while. What a service reports later is in a list of its own. */
const isHeldUp = (run: string) =>
  `(${run}.state IN ("NotStarted", "Scheduled", "Running") AND IS_DEFINED(${run}.expiry)) ` +
  `OR (${run}.state IN ("Scheduled", "Running") AND c.updatedAt < @before)`;

const ROW =
  "c.jobId, c.workflow, c.processState, c.direction, c.dueAt, c.updatedAt, c.createdAt, c.unrecovered, " +
  `ARRAY(SELECT VALUE s.v.endedAt FROM ${LISTED_STEPS} WHERE IS_STRING(s.v.endedAt)) AS ends, ` +
  `ARRAY(SELECT s.k AS step, s.v.agent, ${RUN.map((member) => `s.v.${member}`).join(", ")} FROM ${LISTED_STEPS} ` +
  `WHERE ${openCondition("s.v")}) AS forward, ` +
  `ARRAY(SELECT s.k AS step, s.v.agent, s.v.compensation AS run FROM ${LISTED_STEPS} ` +
  `WHERE ${openCondition("s.v.compensation")}) AS compensations`;

const DOES_NOT_MOVE =
  'c.processState IN ("Pending", "Processing") AND ((c.processState = "Pending" AND c.updatedAt < @before) ' +
  `OR c.dueAt < @overdue OR EXISTS(SELECT VALUE s FROM ${LISTED_STEPS} WHERE ${isHeldUp("s.v")} OR ${isHeldUp("s.v.compensation")}))`;

// Another index than that of the others finds them.
const OWES = 'c.dueAt < @overdue AND NOT (c.processState IN ("Pending", "Processing"))';

/** @param container its index has `processState` and `dueAt` */
export function createWaitingJobs(container: Container): ReadWaitingJobs {
  async function found(condition: string, parameters: SqlParameter[], limit: number): Promise<FoundJobs> {
    const query = `SELECT TOP ${limit + 1} ${ROW} FROM c WHERE ${condition}`;
    const { resources } = await container.items.query<Row>({ query, parameters }, { maxItemCount: -1 }).fetchAll();
    return { jobs: resources.slice(0, limit).map(jobOf), isAll: resources.length <= limit };
  }

  const overdue = (value: string) => ({ name: "@overdue", value });
  return {
    unmoved: ({ unchangedSince, overdueBefore }, limit) =>
      found(DOES_NOT_MOVE, [{ name: "@before", value: unchangedSince }, overdue(overdueBefore)], limit),
    owing: (overdueBefore, limit) => found(OWES, [overdue(overdueBefore)], limit),
  };
}

function jobOf({ createdAt, ends, forward, compensations, ...job }: Row): WaitingJob {
  const isForward = job.direction === "forward";
  const wanted = forward.filter(({ state }) => isForward || state !== "NotStarted");
  return {
    ...job,
    reachedAt: ends.reduce((latest, at) => (at > latest ? at : latest), createdAt),
    open: [
      ...wanted.map(({ step, agent, ...run }) => ({ step, agent, direction: "forward" as const, run })),
      ...compensations.map((open) => ({ ...open, direction: "compensate" as const })),
    ],
  };
}
