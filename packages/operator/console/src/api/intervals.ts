// How often a view asks again, in milliseconds: nothing is asked in a hidden tab.
/** Whether the app answers at all, and whether something has happened there: the store is not read for it. */
export const CHANGES_MS = 10_000;
export const LIST_MS = 30_000;
/** What the first view shows; at once if something has happened. */
export const HOME_MS = 45_000;
/** Messages that nobody takes; the store is not read for it. */
export const WAITS_MS = 20_000;
export const QUEUES_MS = 50_000;
export const AGENTS_MS = 10_000;
export const LEADERLESS_MS = 5_000;
export const JOB_MS = 3_000;
export const BULK_MS = 2_000;
