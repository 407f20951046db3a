// What jobs wait for that have not ended: as a condition of a query, and for stores that search their records themselves.
import { hasEnded, type StateRecord, type StepRun } from "@scheduler-agent-supervisor/core/domain";
import { isToBeRetried, type OpenStep, waitingJobOf } from "../domain/waiting.ts";

/**
 * `agent`, `step`: a step of that agent or name is open. `person`: a person or a service reports a step later. `time`: a step waits for the time of
 * its next try.
 */
export type WaitsFor = { readonly of: "agent" | "step"; readonly name: string } | { readonly of: "person" | "time" };

/** The steps' names are members: a query can search them only as an array. */
export const LISTED_STEPS = "(SELECT VALUE ObjectToArray(c.steps)) AS listed JOIN s IN listed";

/** @param run the path of a step's run in the query */
export const openCondition = (run: string): string =>
  `(${run}.state IN ("Scheduled", "Running", "Awaiting") OR ${retriedCondition(run)})`;

/** It is to be tried again. */
export const retriedCondition = (run: string): string =>
  `(${run}.state = "NotStarted" AND (IS_DEFINED(${run}.expiry) OR IS_DEFINED(${run}.notBefore) OR ${run}.waitCount > 0))`;

/** The same for a run. */
export const isRetried = (run: StepRun): boolean => run.state === "NotStarted" && isToBeRetried(run);

/** A forward step that has not started is not wanted any more in a compensation. */
const OPEN = `((${openCondition("s.v")} AND (c.direction = "forward" OR s.v.state != "NotStarted")) OR ${openCondition("s.v.compensation")})`;
const RETRIED = `((${retriedCondition("s.v")} AND c.direction = "forward") OR ${retriedCondition("s.v.compensation")})`;
const CONDITIONS: { readonly [of in WaitsFor["of"]]: string } = {
  agent: `s.v.agent = @waitsFor AND ${OPEN}`,
  step: `s.k = @waitsFor AND ${OPEN}`,
  person: 's.v.state = "Awaiting" OR s.v.compensation.state = "Awaiting"',
  time: RETRIED,
};

/** It reads only jobs that have not ended. Its parameter is `@waitsFor`. */
export function waitsCondition({ of }: WaitsFor): string {
  return `c.processState IN ("Pending", "Processing") AND EXISTS(SELECT VALUE s FROM ${LISTED_STEPS} WHERE ${CONDITIONS[of]})`;
}

/** The same for a record. */
export function waitsFor(record: StateRecord, wanted: WaitsFor): boolean {
  return !hasEnded(record.processState) && waitingJobOf(record).open.some((open) => isMeant(open, wanted));
}

function isMeant({ step, agent, run }: OpenStep, wanted: WaitsFor): boolean {
  switch (wanted.of) {
    case "agent":
      return agent === wanted.name;
    case "step":
      return step === wanted.name;
    case "person":
      return run.state === "Awaiting";
    case "time":
      return run.state === "NotStarted";
    default:
      return wanted satisfies never;
  }
}
