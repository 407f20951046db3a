// Which actions on many jobs need a person: the same in the API, the console and the terminal.
import type { BulkState } from "./bulk.ts";

/** A run that stopped by itself is shown for this time: its operator may not have seen it. */
export const STOPPED_SHOWN_MS = 3_600_000;
/** Longer than the longest pause between two turns and a turn itself. After it the app starts the turns again. */
export const QUIET_MS = 60_000;

interface Run {
  readonly state: BulkState;
  readonly updatedAt: string;
  /** Of a run that is under way: its last progress. */
  readonly progressAt?: string | undefined;
}

/** It should go on and does not. */
export function isQuiet({ state, updatedAt, progressAt = updatedAt }: Run, now: number): boolean {
  return state === "running" && now - Date.parse(progressAt) >= QUIET_MS;
}

/** Under way, or stopped by itself a short while ago. */
export function isOpen({ state, updatedAt }: Run, now: number): boolean {
  const hasJustStopped = state === "stopped" && now - Date.parse(updatedAt) < STOPPED_SHOWN_MS;
  return state === "running" || state === "paused" || hasJustStopped;
}

/** All that are open, without those that go on by themselves: a paused one waits for the person who resumes it. */
export const needsPerson = (run: Run, now: number): boolean =>
  isOpen(run, now) && (run.state !== "running" || isQuiet(run, now));
