// The reminder of a step that waits for a person: due once, when half of its time is over.
import { isInHand, runOf, runsInHand } from "./plan.ts";
import type { Direction, OutboxMessage, StateRecord, StepRecord, StepRun, Steps } from "./state-record.ts";

interface Waiting extends Pick<StepRun, "state" | "accepted" | "completeBy"> {}

/** When it is due: half-way between its acceptance and the end of its wait, wherever that is by then. Undefined if none is, or if it was sent. */
export function remindAt({ state, accepted, completeBy }: Waiting): string | undefined {
  if (state !== "Awaiting" || accepted?.remindedAt !== null || completeBy === null) return undefined;
  const [from, to] = [Date.parse(accepted.at), Date.parse(completeBy)];
  return new Date(from + (to - from) / 2).toISOString();
}

/** Of all steps in the job's direction. */
export function remindersOf(steps: Steps, direction: Direction): readonly string[] {
  return waitingIn(steps, direction).flatMap(({ run }) => remindAt(run) ?? []);
}

export interface Reminder {
  readonly step: string;
  readonly direction: Direction;
}

/** Those that are due. */
export function dueReminders(
  { steps, direction }: Pick<StateRecord, "steps" | "direction">,
  before: string,
): Reminder[] {
  return waitingIn(steps, direction).flatMap(({ step, direction: of, run }) =>
    (remindAt(run) ?? before) < before ? [{ step, direction: of }] : [],
  );
}

/** What began before a compensation goes on, and nobody is asked to hurry for it. */
function waitingIn(steps: Steps, direction: Direction) {
  return runsInHand(steps).filter((each) => direction === "forward" || each.direction === "compensate");
}

/** The steps after their reminders are decided: none is decided again. */
export function reminded(steps: Steps, due: readonly Reminder[], now: string): Steps {
  const changed: { [name: string]: StepRecord } = { ...steps };
  for (const { step, direction } of due) {
    const record = changed[step];
    const run = runOf(record, direction);
    if (!record || !run?.accepted || !isInHand(run)) continue;
    const accepted = { ...run.accepted, remindedAt: now };
    const compensation = record.compensation && { ...record.compensation, accepted };
    changed[step] = direction === "forward" ? { ...record, accepted } : { ...record, compensation };
  }
  return changed;
}

/** The status messages that a record owes to whoever is to be reminded. */
export function reminderMessages(due: readonly Reminder[], attempt: number, at: string): OutboxMessage[] {
  return due.map(({ step, direction }) => ({
    ...{ status: "StepReminder" as const, attempt, at, step },
    ...(direction === "compensate" && { direction }),
  }));
}

export const owesReminder = ({ outbox }: Pick<StateRecord, "outbox">): boolean =>
  outbox.some(({ status }) => status === "StepReminder");
