// Which actions on many jobs need a person: the same in the API, the console and the terminal.
import type { BulkState } from "./bulk.ts";

/** A run that stopped by itself is shown for this time: its operator may not have seen it. */
const STOPPED_SHOWN_MS = 3_600_000;
const FOR_NOW = "9999-12-31T23:59:59.999Z";
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

/** Of a run that is under way, or has stopped by itself; undefined for all others. */
export function openUntil({ state, updatedAt }: Run): string | undefined {
  if (state === "running" || state === "paused") return FOR_NOW;
  return state === "stopped" ? new Date(Date.parse(updatedAt) + STOPPED_SHOWN_MS).toISOString() : undefined;
}

/** Under way, or stopped by itself a short while ago. */
export const isOpen = (run: Run, now: number): boolean => Date.parse(openUntil(run) ?? "") > now;

/** All that are open, without those that go on by themselves: a paused one waits for the person who resumes it. */
export const needsPerson = (run: Run, now: number): boolean =>
  isOpen(run, now) && (run.state !== "running" || isQuiet(run, now));
