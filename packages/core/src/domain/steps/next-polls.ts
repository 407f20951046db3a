// The polls that an attempt makes next, all of them at one time.

import { runsInHand } from "../record/plan.ts";
import type { Attempt } from "./attempt.ts";
import { keyOf, type PollTask } from "./poll.ts";

/** The next poll; undefined if there is none. */
export interface NextPolls {
  readonly at: string;
  readonly polls: readonly PollTask[];
}

/** @param asked the polls that the attempt has made already, by `keyOf` */
export function nextPolls(attempt: Attempt, asked: ReadonlySet<string>): NextPolls | undefined {
  const { jobId, lockedBy, reply, steps } = attempt;
  const open = runsInHand(steps).flatMap(({ step, direction, run }): PollTask[] => {
    const { pollAt } = run.state === "Awaiting" ? (run.accepted ?? {}) : {};
    if (pollAt === undefined) return [];
    return [{ jobId, attempt: attempt.attempt, lockedBy, step, direction, pollAt, traceparent: reply.traceparent }];
  });
  const polls = open.filter((poll) => !asked.has(keyOf(poll)));
  const [at] = polls.map(({ pollAt }) => pollAt).sort();
  return at === undefined ? undefined : { at, polls: polls.filter(({ pollAt }) => pollAt === at) };
}
