// The statuses that a requester wants (P15).

/** `all`: every status. `end`: only the end, which saves one message for each step. */
export const WANTED = ["all", "end"] as const;
export type WantedStatuses = (typeof WANTED)[number];
