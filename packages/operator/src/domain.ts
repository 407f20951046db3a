// Public entry `operator/domain`: what people are shown and told, pure, for the console and the commands. It runs in a browser too.
export { agentTroubles } from "./domain/agent-troubles.ts";
export { type AttemptShown, attemptsOf } from "./domain/attempts-of.ts";
export { BULK_ACTIONS, MOST_JOBS } from "./domain/bulk.ts";
export { isOpen, isQuiet, needsPerson } from "./domain/bulk-troubles.ts";
export { exactDuration, roundedDuration } from "./domain/duration-words.ts";
export { ANSWERED_MS, FRESH_MS, isOfNow } from "./domain/freshness.ts";
export { gaugesTroubles } from "./domain/gauges-freshness.ts";
export { isFailure } from "./domain/is-failure.ts";
export type { ListPage, ListPosition } from "./domain/list-page.ts";
export { applyPatch, editBetween, patchBetween } from "./domain/merge-patch.ts";
export { REPORTED, type Report, reportedAfter } from "./domain/reported.ts";
export { type MessageAction, type MessagesDone, runMessageWaves } from "./domain/run-message-waves.ts";
export { type StatusDelivery, statusesOf } from "./domain/statuses.ts";
export { FUNCTIONS } from "./domain/switched-off.ts";
export { type JobWait, waitInWords } from "./domain/wait.ts";
export { longWaits, unreadQueues } from "./domain/wait-causes.ts";
export { leftBefore, SWEEP_GRACE_MS, type WaitContext, waitingJobOf, waitsOf } from "./domain/waiting.ts";
