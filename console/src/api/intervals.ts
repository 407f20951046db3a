// How often a view asks again, in milliseconds: nothing is asked in a hidden tab.
export const LIST_MS = 30_000;
/** What the first view shows is there within a minute of its start: what is not answered is known after ten seconds more. */
export const HOME_MS = 40_000;
export const QUEUES_MS = 60_000;
export const ADVICE_MS = 600_000;
export const AGENTS_MS = 10_000;
export const LEADERLESS_MS = 5_000;
export const JOB_MS = 3_000;
export const BULK_MS = 2_000;
