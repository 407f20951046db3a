// What is not known to be done may still be done (P13, P32): its compensation waits until it can't be any more, or is left to a person.

import { stepOfRun } from "../definition/items.ts";
import { type LoadedWorkflow, policyFor } from "../definition/workflow.ts";
import { after } from "../duration.ts";
import { isInHand, outcomeIsUnknown } from "../record/plan.ts";
import {
  type Direction,
  NOT_STARTED,
  type StateRecord,
  type StepRecord,
  type StepRun,
  type Steps,
} from "../record/state-record.ts";

/** For people: the error of a compensation that no agent is asked for. */
const LEFT_TO_A_PERSON = "its outcome is unknown, and its policy leaves that to a person (onUnknown)";

/** The steps with what holds back their compensations; the same object if nothing does. */
export function heldBack(workflow: LoadedWorkflow, steps: Steps, direction: Direction, now: string): Steps {
  const held = Object.entries(steps).flatMap(([name, record]): [string, StepRecord][] => {
    if (!isToBeDecided(record, direction)) return [];
    const compensation = compensationOf(workflow, stepOfRun(name), record, now);
    return compensation ? [[name, { ...record, compensation }]] : [];
  });
  return held.length === 0 ? steps : { ...steps, ...Object.fromEntries(held) };
}

/** Of work that its service has accepted it is known that it began, and the service names it. */
function isToBeDecided(record: StepRecord, direction: Direction): boolean {
  const isCompensated = direction === "compensate" || record.state === "Skipped";
  const isOpen = record.compensation === null && record.accepted === undefined;
  return isCompensated && isOpen && !isInHand(record) && outcomeIsUnknown(record);
}

/** Undefined if it has none, or may begin at once. */
function compensationOf(
  workflow: LoadedWorkflow,
  name: string,
  { endedAt }: StepRecord,
  now: string,
): StepRun | undefined {
  if (typeof workflow.steps.find((step) => step.name === name)?.compensation !== "object") return undefined;
  if (policyFor(workflow, name).onUnknown === "fail")
    return { ...NOT_STARTED, state: "Failed", error: LEFT_TO_A_PERSON, endedAt: now, outcomeUnknown: false };
  // Nothing was sent after its end; where it has none, nothing is sent from now on.
  const notBefore = after(endedAt ?? now, workflow.settlesWithinMs?.[name] ?? 0);
  return notBefore > now ? { ...NOT_STARTED, notBefore } : undefined;
}

/** The steps whose compensation a change has left to a person. */
export function leftToPerson(
  before: Pick<StateRecord, "steps">,
  { steps }: Pick<StateRecord, "steps">,
): { readonly step: string; readonly agent: string; readonly message: string | null }[] {
  return Object.entries(steps).flatMap(([step, { agent, compensation }]) =>
    compensation?.state === "Failed" && before.steps[step]?.compensation?.state !== "Failed"
      ? [{ step, agent, message: compensation.error }]
      : [],
  );
}
