// What a sweep says of steps that ran out of time.

import { counted } from "../counted.ts";
import { isOverdue } from "../record/due.ts";
import { mayHaveHadEffect, type RunInHand, runOf, runsInHand } from "../record/plan.ts";
import type { Direction, JobError, StateRecord } from "../record/state-record.ts";
import { runKey } from "./attempt.ts";
import { answeredInWords, type Failed } from "./failure-budget.ts";

interface Sweep {
  readonly now: string;
  readonly overdueBefore: string;
}

/** The steps whose time is over, by name. @param untaken of them, by `runKey`, those that no agent took up */
export function overdueInWords(
  { steps, direction }: StateRecord,
  overdueBefore: string,
  untaken: readonly string[],
): string {
  const overdue = runsInHand(steps).filter(({ run }) => isOverdue(run, overdueBefore));
  const nameOf = (each: RunInHand) =>
    untaken.includes(runKey(each)) ? `${each.step} (not taken up by the agent ${steps[each.step]?.agent})` : each.step;
  const namesIn = (wanted: Direction) =>
    overdue.flatMap((each) => (each.direction === wanted ? [nameOf(each)] : [])).join(", ");
  const [forward, compensated] = [direction === "forward" ? namesIn("forward") : "", namesIn("compensate")];
  return [forward, compensated && `the compensation of ${compensated}`].filter((names) => names !== "").join(", ");
}

/** The error of a job whose attempts are used up. @param failed the step that decided, and how often it failed */
export function expiredError(record: StateRecord, failed: Failed, { now, overdueBefore }: Sweep): JobError {
  const { step, failures, untaken = [], budget } = failed;
  const agent = step === null ? null : (record.steps[step]?.agent ?? null);
  const last = overdueInWords(record, overdueBefore, untaken);
  const expired =
    budget === "answer"
      ? answeredInWords(failures, runOf(record.steps[step ?? ""], record.direction)?.expiry?.message)
      : budget === "wait"
        ? "its wait for a report expired"
        : `${counted(failures, "attempt")} ran out of time`;
  const message = `${expired}${last && `, the last in ${last}`}`;
  if (record.direction === "forward") return { kind: "expired", message, step, agent, at: now };
  // No step of it is in hand. What is left is named, and more rather than less: without the workflow it is not known which step needs no compensation.
  const open = Object.entries(record.steps).flatMap(([name, each]) =>
    mayHaveHadEffect(each) && each.compensation?.state !== "Completed" ? [name] : [],
  );
  const cause = record.error ?? undefined;
  const left = `not compensated: ${open.join(", ")}; ${message}${cause ? `; the cause: ${cause.message}` : ""}`;
  return { kind: "compensationIncomplete", message: left, step, agent, at: now, cause };
}
