// What the app notes on a message that it passes on.

/** For a message in the quarantine: the application property that names the queue that it came from. */
export const CAME_BY = "queue";
