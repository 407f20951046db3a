// Whose report a step awaits.
import type { Direction, StateRecord } from "./state-record.ts";

/** The direction of a step whose report is awaited; undefined if none is. */
export function awaitedDirection(record: StateRecord, step: string): Direction | undefined {
  const { state, compensation } = record.steps[step] ?? {};
  if (compensation?.state === "Awaiting") return "compensate";
  return state === "Awaiting" ? "forward" : undefined;
}
