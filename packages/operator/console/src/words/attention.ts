// The words for what needs a person, and for who handles it.
import { counted } from "@scheduler-agent-supervisor/core/domain";
import { countedJobs, say } from "./say.ts";

/** The queues that are no dead letters of a queue of the same name. */
const QUEUES: { readonly [name: string]: string } = {
  quarantine: "Quarantine",
  "quarantine-dead-letters": "Dead letters of the quarantine",
};

export const ATTENTION = {
  moreThan: (count: number) =>
    say`More than ${count.toLocaleString("en")} {jobs} need a person: not all are counted here.`,
  seeAll: "See all in the search",
  nothing: "Nothing needs a person",
  get nothingAbout() {
    return say`What is held up, {jobs} in Error that no operator has handled, messages that could not be processed, steps that await a report, and what is wrong with the app itself appear here.`;
  },
  jobs: (count: number, isAll: boolean) => countedJobs(count, isAll),
  byCause: "By cause",
  get all() {
    return say`All {jobs} that need a person`;
  },
  get inGroup() {
    return say`{Jobs} with this cause`;
  },
  other: "Other causes",
  otherAbout: "Each of these has a cause of its own.",
  cause: "Cause",
  where: "Workflow and step",
  firstSeen: "first",
  lastSeen: "Last",
  day: "Last 24 hours",
  chart: (counts: readonly number[]) =>
    `${counts.reduce((sum, one) => sum + one, 0)} in the last 24 hours, at most ${Math.max(0, ...counts)} in one hour`,
  get job() {
    return say`{Job}`;
  },
  age: "Failed",
  attempt: "Attempt",
  showAll: "Show all causes",
  messages: "Messages that could not be processed",
  messageCount: (count: number, isAll: boolean) => counted(count, "message", "messages", isAll),
  oldest: "the oldest",
  otherReasons: "Other reasons",
  queue: (name: string) => QUEUES[name] ?? `Dead letters of ${name}`,
} as const;

export const TAKEN = {
  title: "Who handles it",
  take: "Take",
  release: "Release",
  by: (operator: string) => `Taken by ${operator}`,
  unknown: "Who handles what: not known. Somebody may be at work on what you see.",
} as const;
