// The host's limit for one run of a function, and what an activity may use of it (P8).
import { LONGEST_ACTIVITY_MS, LONGEST_STEP_MS } from "./workflow.ts";

export interface HostTimeout {
  /** Infinite if the host has no limit. */
  readonly ms: number;
  /** Where it is set, with its value. */
  readonly from: string;
}

/** The sample's host.json, and the host's own limit in the Consumption plan. */
export const USUAL_TIMEOUT: HostTimeout = { ms: 5 * 60_000, from: "functionTimeout 00:05:00 in host.json" };

/** To record the end of a step, and to publish it. */
const END_MS = 30_000;

/** What an agent of this app may use of one activity: it waits for a place until start-by, and has complete-by from then on. */
export function longestActivityMs({ ms }: Pick<HostTimeout, "ms">): number {
  return Math.min(LONGEST_ACTIVITY_MS, Math.max(ms - END_MS, 0));
}

/** How long after its start an activity with several steps begins no step that may end later. */
export function longestStepMs({ ms }: Pick<HostTimeout, "ms">): number {
  return Math.min(LONGEST_STEP_MS, Math.max(ms - 2 * END_MS, 0));
}
