// What an operation hands on when it has returned.

import type { ClaimOutcome, StepEnd } from "@scheduler-agent-supervisor/core/domain";
import type { OperationName } from "./operation-name.ts";
import { isHandler, NOT_YET } from "./operation-run.ts";

/** Of an activity whose result its orchestration gets. */
export function isEndOfTask(name: OperationName): boolean {
  return name === "runStep" || name === "askAgent";
}

export function isEndOfStep(name: OperationName): boolean {
  return isEndOfTask(name) || name === "pollStep" || name === "takeReply";
}

/** What a handler's function hands on to the engine, or an agent by an event. */
export function handedOn(name: OperationName, value: unknown): unknown {
  if (value === null || value === NOT_YET) return value;
  if (isEndOfStep(name)) return (value as StepEnd).outcome;
  const { attempt = value } = value as Partial<Extract<ClaimOutcome, { kind: "claimed" }>>;
  return isHandler(name) ? attempt : value;
}
