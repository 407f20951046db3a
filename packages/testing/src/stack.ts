// Public entry `testing/stack`: folders and settings for tests on a started stack. It loads nothing else.
export { shortLocks } from "./faults/settings.ts";
export { temporaryFolder } from "./faults/temporary-folder.ts";
