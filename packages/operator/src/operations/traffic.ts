// The flow of the jobs: arrivals, completions and their duration, the age of waiting messages, and the workflows in progress.

import { instant } from "@scheduler-agent-supervisor/core/domain";
import { remembered } from "@scheduler-agent-supervisor/core/store";
import type { WorkflowRef } from "@scheduler-agent-supervisor/core/workflows";
import type { Traffic, WaitingMessages } from "../contract.ts";
import { percentile, rateOf } from "../domain/sample.ts";
import type { Completed, RecentJobs } from "../store/recent-jobs.ts";
import { oldestOf } from "./waiting-messages.ts";

export interface TrafficPorts {
  readonly recent: RecentJobs;
  readonly waitingMessages: () => Promise<WaitingMessages>;
  /** Jobs that have been over for longer may not be found any more: they are closed. */
  readonly windowMs: number;
  readonly now: () => number;
}

/** The cost of a look: this number of documents of each kind, however many there are. */
const SAMPLE = 200;
const KEPT_MS = 30_000;

/** Read at most once in half a minute, for any number of operators. */
export function createTraffic({ recent, waitingMessages, windowMs, now }: TrafficPorts): () => Promise<Traffic> {
  return remembered(
    now,
    async () => {
      const at = now();
      const since = instant(at - windowMs);
      const [received, completed, inFlight, waiting] = await Promise.all([
        recent.received(since, SAMPLE),
        recent.completed(since, SAMPLE),
        recent.inFlight(SAMPLE),
        waitingMessages(),
      ]);
      const ends = completed.map(({ endedAt }) => endedAt);
      return {
        asOf: instant(at),
        received: lastMinute(received, at),
        processed: lastMinute(ends, at),
        times: timesOf(completed),
        inFlight: { count: inFlight.workflows.length, isAll: inFlight.isAll, versions: versionsOf(inFlight.workflows) },
        queues: oldestOf(waiting),
      };
    },
    KEPT_MS,
  ).read;
}

/** Not averaged over a time in which nothing came. */
const RATE_MS = 60_000;

function lastMinute(instants: readonly string[], at: number): Traffic["received"] {
  const since = instant(at - RATE_MS);
  return rateOf(
    instants.filter((each) => each >= since),
    SAMPLE,
    RATE_MS,
    at,
  );
}

function timesOf(completed: readonly Completed[]): Traffic["times"] {
  if (completed.length === 0) return null;
  // Two clocks: the broker's and the app's.
  const ms = completed.map(({ sentAt, endedAt }) => Math.max(0, Date.parse(endedAt) - Date.parse(sentAt)));
  return { p50Ms: percentile(ms, 0.5), p95Ms: percentile(ms, 0.95), p99Ms: percentile(ms, 0.99) };
}

/** The most frequent first. */
function versionsOf(workflows: readonly WorkflowRef[]): Traffic["inFlight"]["versions"] {
  const counts = new Map<string, Traffic["inFlight"]["versions"][number]>();
  for (const { name, version } of workflows) {
    const key = `${name} ${version}`;
    counts.set(key, { name, version, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].sort((one, other) => other.count - one.count || one.name.localeCompare(other.name));
}
