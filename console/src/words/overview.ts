// The words of the overview.
import { roundedDuration } from "@scheduler-agent-supervisor/operator/internal/domain/duration-words";
import { say } from "./noun.ts";

const MINUTE_MS = 60_000;

/** Digits enough to see that something moves. */
function number(value: number): string {
  if (value > 0 && value < 0.1) return "< 0.1";
  return value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 });
}

export const OVERVIEW = {
  get states() {
    return say`{Jobs} by state`;
  },
  overdue: "Overdue",
  overdueAbout: "due, and not yet handled by the supervisor",
  needs: "Need a person",
  queues: "Messages that could not be processed",
  traffic: "Throughput",
  perMinute: ({ count, overMs }: { readonly count: number; readonly overMs: number }) =>
    number((count * MINUTE_MS) / overMs),
  received: "Received per minute",
  processed: "Processed per minute",
  counted: ({ count, overMs }: { readonly count: number; readonly overMs: number }) =>
    `${count.toLocaleString("en")} in the last ${roundedDuration(overMs)}`,
  times: "From sent to processed",
  timesOf: (count: number) =>
    count === 1
      ? say`Of the only {job} that was processed`
      : say`Of the last ${count.toLocaleString("en")} {jobs} that were processed`,
  get noTimes() {
    return say`No {job} was processed recently.`;
  },
  p50: "Half were faster (p50)",
  p95: "95% were faster (p95)",
  p99: "99% were faster (p99)",
  waiting: "Waiting messages",
  queue: "Queue",
  oldest: "Oldest message",
  none: "none",
  unread: "could not be read",
  versions: "Workflow versions in flight",
  versionsOf: (count: number, isAll: boolean) =>
    `${count.toLocaleString("en")} in flight${isAll ? "" : " were counted; there are more"}`,
  get noVersions() {
    return say`No {job} is in flight.`;
  },
  version: "Workflow",
  get jobs() {
    return say`{Jobs}`;
  },
} as const;
