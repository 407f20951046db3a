// The words for advice on the times of steps.
import { countedJobs } from "./say.ts";

const seconds = (ms: number) => `${Math.round(ms / 10) / 100} s`;

export const ADVICE = {
  title: "Advice on times",
  about:
    "What steps took in the last week, and times that would suit them. Nothing is changed: times stand in the workflow.",
  show: "Show advice",
  sample: (sampled: number, most: number) =>
    `A sample of ${countedJobs(sampled)}, of at most ${most}, that ended in the last week.`,
  of: (name: string, version: number, jobs: number) => `${name} v${version}: ${countedJobs(jobs)}`,
  step: "Step",
  work: "Work, p50 and p99",
  start: "Start, p50 and p99",
  timeouts: "Timeouts",
  current: "Start and complete within",
  proposed: "Proposed",
  outlook: "With the proposal",
  times: (p50Ms: number, p99Ms: number) => `${seconds(p50Ms)}, ${seconds(p99Ms)}`,
  limits: (startWithin: string, completeWithin: string) => `${startWithin}, ${completeWithin}`,
  wouldHave: (jobs: number, timedOut: number, exhausted: number) =>
    `${timedOut} of ${countedJobs(jobs)} would have timed out, ${exhausted} would have used up their attempts`,
};
