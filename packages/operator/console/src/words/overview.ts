// The words of the overview.
import { counted } from "@scheduler-agent-supervisor/core/domain";
import { roundedDuration } from "@scheduler-agent-supervisor/operator/domain";
import { TEXT } from "./frame.ts";
import { countedJobs, say } from "./say.ts";

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
  well: "All is well",
  notKnown: "It is not known whether all is well",
  notWell: "Not well",
  since: "since",
  begun: "Since",
  nowOnly: "now",
  inError: (count: number, cause: string, isAll = true) => say`${TEXT.capped(count, isAll)} in Error: ` + cause,
  heldUp: (count: number, cause: string, isAll = true) => `${TEXT.capped(count, isAll)} held up by ${cause}`,
  letters: (count: number, queue: string, isAll = true) =>
    `${counted(count, "message", "messages", isAll)} in ${queue}`,
  slowAgent: (name: string) => `${name} is slow`,
  brokenAgent: (name: string, error: string | null) =>
    `${name}: an endpoint gets no calls${error === null ? "" : `: ${error}`}`,
  pause: (kind: string, name: string, by: string) => `The ${kind} ${name} is paused by ${by}`,
  noSupervisor: (blocked: string | null = null) => `No supervisor is active${blocked === null ? "" : `: ${blocked}`}`,
  sweepsFail: (fault: string) => `The supervisor's sweeps fail: ${fault}`,
  overdueJobs: (count: number) => `${countedJobs(count)} ${count === 1 ? "is" : "are"} overdue`,
  hour: "The last hour",
  receivedJobs: "Received",
  processedJobs: "Processed",
  errorJobs: "In Error, and not handled",
  inHour: (total: number, most: number, isAll: boolean) =>
    `${TEXT.capped(total, isAll)}; at most ${most.toLocaleString("en")} in 2 min`,
  slot: (time: string, value: string) => `${time}: ${value}`,
  chart: (name: string, values: readonly string[], from: string) =>
    `${name}, for each 2 minutes from ${from}: ${values.join(", ")}`,
  oldestMessage: "Oldest waiting message",
  openBreakers: "Agents with an open breaker",
  notLooked: "not known",
  atMost: (last: string, most: string) => (last === most ? last : `${last}; at most ${most}`),
  mark: "A line marks where a trouble began.",
  noMessages: (queues: number) => `None in ${counted(queues, "queue")}`,
  overdueAbout: "due, and not yet handled by the supervisor",
  needs: "Need a person",
  queues: "Messages that could not be processed",
  traffic: "Throughput",
  perMinute: ({ count, overMs }: { readonly count: number; readonly overMs: number }) =>
    number((count * MINUTE_MS) / overMs),
  received: "Received per minute",
  processed: "Processed per minute",
  counted: ({ count, overMs }: { readonly count: number; readonly overMs: number }) =>
    `${count.toLocaleString("en")} in the last ${overMs === MINUTE_MS ? "minute" : roundedDuration(overMs)}`,
  times: "From sent to processed",
  get timesOf() {
    return say`Of the {jobs} that were processed in the last hour, at most 200.`;
  },
  get noTimes() {
    return say`No {job} was processed recently.`;
  },
  p50: "Half were faster (p50)",
  p95: "95% were faster (p95)",
  p99: "99% were faster (p99)",
  waiting: "Waiting messages",
  reports: "Reported by the app",
  dismiss: "Dismiss",
  dismissOne: (words: string) => `Dismiss: ${words}`,
  dismissIn: (environment: string) => `Dismiss (${environment})`,
  dismissing: "For when its cause is dealt with. It is back when it happens again.",
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
