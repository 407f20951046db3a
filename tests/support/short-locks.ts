// The app's queues with a message lock that a test can wait for.
import { shortLocks as withShortLocks } from "@scheduler-agent-supervisor/testing/stack";
import { QUEUES_FILE } from "../../cli/settings.ts";

/** @returns the file, in `folder`. */
export const shortLocks = (folder: string, lockDuration?: string): string =>
  withShortLocks(QUEUES_FILE, folder, lockDuration);
