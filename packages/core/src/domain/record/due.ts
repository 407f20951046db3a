// When the supervisor must read a record that an attempt holds (P10): the first instant at which one of its steps has to be looked at.

import { after } from "../duration.ts";
import { isInHand, runOf, runsInHand } from "./plan.ts";
import { owesReminder, remindersOf } from "./reminder.ts";
import type { Direction, StateRecord, StepRun, Steps } from "./state-record.ts";

/** Longer than a poll takes with its wait. After this time the attempt that had to poll is considered lost. */
export const ASKED_WITHIN_MS = 10 * 60_000;
/** How often a wait goes on because the app was away at its end. */
export const MOST_GIVEN_AGAIN = 10;

/** When no agent works on an open step any more, or could: only then may it be run again. */
export function expiresAt({ state, startBy, completeBy }: StepRun): string {
  const ends = completeBy ?? "";
  return state === "Scheduled" && startBy !== null && startBy > ends ? startBy : ends;
}

interface Waiting extends Pick<StepRun, "state" | "accepted" | "completeBy"> {}

/** A poll that was due within the wait, and of which nothing is recorded: the wait is not over before the service was asked. */
function owesPoll({ state, accepted, completeBy }: Waiting): boolean {
  const { pollAt, givenAgain = 0 } = accepted ?? {};
  if (state !== "Awaiting" || pollAt === undefined || completeBy === null) return false;
  return pollAt <= completeBy && givenAgain < MOST_GIVEN_AGAIN;
}

/** When a poll that is due before then is considered missed, at the latest when the step's time is over; undefined if none is due. */
export function missedAt(run: Waiting): string | undefined {
  const { accepted, completeBy } = run;
  if (!owesPoll(run) || accepted?.pollAt === undefined || completeBy === null) return undefined;
  const at = after(accepted.pollAt, ASKED_WITHIN_MS);
  return at < completeBy ? at : completeBy;
}

/** Its time is over, and nothing more is to be done for it. */
export function isOverdue(run: StepRun, before: string): boolean {
  return expiresAt(run) < before && !owesPoll(run);
}

/**
 * When the pauses of steps are over that are to be retried later while others continue. A compensation does not wait for the pauses of forward
 * steps.
 */
export function pausesOf(steps: Steps, direction: Direction): readonly string[] {
  return Object.values(steps)
    .flatMap((step) => (direction === "forward" ? [step, step.compensation] : [step.compensation]))
    .flatMap((run) => (run?.state === "NotStarted" && run.notBefore ? [run.notBefore] : []));
}

type Due = Pick<StateRecord, "steps" | "direction"> & Partial<Pick<StateRecord, "outbox" | "dueAt">>;

/**
 * What makes a record due that an attempt holds: of each, the instants at which the supervisor has to look, in the sequence in which it decides on them
 * (`decideRecovery`). Besides them a Pending job is due for its start, an ended one for its messages, and each for its deadline.
 */
const SOURCES = {
  /** An agent or a service has no time left. */
  expiry: ({ steps }) => runsInHand(steps).map(({ run }) => expiresAt(run)),
  poll: ({ steps }) => runsInHand(steps).flatMap(({ run }) => missedAt(run) ?? []),
  pause: ({ steps, direction }) => pausesOf(steps, direction),
  /** A reminder that was decided, and may not have been sent. */
  message: ({ outbox = [], dueAt = "" }) => (owesReminder({ outbox }) ? [dueAt] : []),
  reminder: ({ steps, direction }) => remindersOf(steps, direction),
} as const satisfies { readonly [source: string]: (record: Due) => readonly string[] };

export type DueSource = keyof typeof SOURCES;

/** When each source makes it due for the first time; those that do not are left out. */
export function dueTimes(record: Due): [DueSource, string][] {
  return (Object.keys(SOURCES) as DueSource[]).flatMap((source) => {
    const [first] = [...SOURCES[source](record)].sort();
    return first === undefined ? [] : [[source, first]];
  });
}

type Times = Pick<StateRecord, "completeBy" | "dueAt">;

/** The times of a claimed record. */
export function timesOf(steps: Steps, known: Times & Pick<StateRecord, "direction">): Times {
  const inHand = runsInHand(steps);
  const [completeBy = known.completeBy] = inHand.map(({ run }) => expiresAt(run)).sort();
  const dueAt = dueAtOf(steps, known.direction) ?? known.dueAt;
  return { completeBy, ...(dueAt !== undefined && { dueAt }) };
}

/** The same after steps have changed while others are open: time that an operator has extended for these stays. */
export function timesAmong(before: StateRecord, steps: Steps): Times {
  const { dueAt = "" } = before;
  const inHand = runsInHand(before.steps);
  const isExtended = dueAt > (dueAtOf(before.steps, before.direction) ?? dueAt);
  const goesOn = inHand.some(({ step, direction }) => isInHand(runOf(steps[step], direction)));
  const times = timesOf(steps, before);
  return isExtended && goesOn && dueAt > (times.dueAt ?? dueAt) ? { completeBy: before.completeBy, dueAt } : times;
}

/** Until then the record was due for its reminder, unless an operator has extended its time. */
export function dueAfterReminder(record: StateRecord, dueAt: string): string {
  const { dueAt: next = dueAt } = timesOf(record.steps, record);
  return next > dueAt ? next : dueAt;
}

function dueAtOf(steps: Steps, direction: Direction): string | undefined {
  return dueTimes({ steps, direction })
    .map(([, at]) => at)
    .sort()[0];
}
