// The words for actions on many jobs.
import { EXTENSIONS } from "./job.ts";
import { countedJobs, say } from "./say.ts";

const RESULTS = {
  open: "To do",
  done: "Under way",
  skipped: "Skipped",
  well: "Ended well",
  same: "Same cause again",
  other: "Failed with another cause",
} as const;
const DURATIONS: { readonly [duration: string]: string } = EXTENSIONS;

export const BULK = {
  get title() {
    return say`Action on many {jobs}`;
  },
  preview: (action: string, count: number, isAll: boolean) =>
    `${action} all ${count.toLocaleString("en")}${isAll ? "" : "+"}`,
  previewChosen: (action: string, count: number) => `${action} ${count.toLocaleString("en")} chosen`,
  previewMatching: (action: string) => `${action} all that match`,
  chosen: (count: number) => `${countedJobs(count)} chosen`,
  clear: "Choose none",
  matching: "Act on all matches, also those that are not shown",
  matchingAbout:
    "At most 1,000, the newest first. You see a preview first: nothing is done before you start the action.",
  matchingNeeds:
    "To act on all that match, search for a state: Waiting, In progress or Error; or for what they wait for.",
  filter: "All that match the search",
  more: "There may be more than one action can include: these are the first. Start another action when this one is done.",
  summary: (action: string, count: number) => `${action}: ${countedJobs(count)}.`,
  by: (name: string) => `By ${name}`,
  notPossible: (count: number) =>
    `Not possible for ${countedJobs(count)}, which ${count === 1 ? "is" : "are"} left out`,
  goesOn: (forward: number, compensate: number) =>
    `${countedJobs(forward)} ${forward === 1 ? "continues" : "continue"} forward, ${compensate.toLocaleString("en")} with the compensation`,
  nextKey: (count: number) =>
    say`In ${countedJobs(count)} a step that was rejected for good runs again under its next idempotency key.`,
  sameKey: (count: number) =>
    say`In ${countedJobs(count)} a step whose outcome is unknown runs again under the same idempotency key.`,
  get canary() {
    return [
      say`The action starts with 1 {job}, then 10, then 100 at a time. After each wave it waits until these {jobs} have ended.`,
      say`It stops by itself if more than 20% of a wave fail with the same cause again. {Jobs} that have changed since this preview are skipped.`,
    ].join(" ");
  },
  get canaryOfExtension() {
    return say`The action starts with 1 {job}, then 10, then 100 at a time. {Jobs} that have changed since this preview are skipped.`;
  },
  extendedBy: (duration: string) => `by ${DURATIONS[duration] ?? duration}`,
  typeCount: (count: number) => `Type ${count} to confirm`,
  get countWrong() {
    return say`This is not the number of {jobs}.`;
  },
  start: (action: string, count: number, environment: string) => `${action}: ${countedJobs(count)} (${environment})`,
  discard: "Do not start",
  pause: "Pause",
  resume: "Resume",
  cancel: "Cancel the rest",
  get progress() {
    return say`{Jobs} that have ended`;
  },
  get jobs() {
    return say`{Jobs} so far`;
  },
  get job() {
    return say`{Job}`;
  },
  result: "Result",
  why: "Why",
  left: "Not yet ended",
  next: "What still needs a person",
  get runs() {
    return say`Actions on many {jobs}`;
  },
  get runsAbout() {
    return say`Of all operators, the latest first: also those that have stopped by themselves.`;
  },
  noRuns: "There was no recent action",
  what: "Action",
  state: "State",
  startedBy: "By",
  at: "At",
  ended: (count: number, total: number) => `${count.toLocaleString("en")} of ${total.toLocaleString("en")} ended`,
  stoppedShort: (share: string) => `Stopped by itself: ${share} with the same cause again`,
  noProgress: "no progress since",
  trouble: (summary: string, state: "running" | "paused" | string) =>
    `${summary} ${state === "running" ? "No progress" : state === "paused" ? "Paused" : "Stopped by itself"}`,
  stopped: (share: string, limit: string) =>
    `Stopped by itself: ${share} of the last wave failed with the same cause again. The limit is ${limit}.`,
  states: {
    previewed: "Nothing is done yet",
    running: "Running",
    get paused() {
      return say`Paused: running {jobs} are completed`;
    },
    stopped: "Stopped",
    cancelled: "Cancelled: the rest was not changed",
    done: "Done",
  },
  results: RESULTS,
  resultsOfExtension: { ...RESULTS, well: "Extended" },
} as const;
