// Events that many jobs have for one cause, as in an outage: a process reports the first at once, and then their number every few minutes.

import { startTimer } from "../domain/timer.ts";
import type { Attributes, EventName } from "./event-names.ts";

const REPORTED_EVERY_MS = 5 * 60_000;

const STEP = ["agent", "step"] as const;

/**
 * The attributes by which events are alike; one without an attribute that is named here stands for itself. Events that an alert counts by job are
 * not here, unless they name an outage.
 */
const ALIKE_BY: { readonly [name in EventName]?: readonly string[] } = {
  EndpointHealth: ["agent", "endpoint", "to"],
  EndpointMisconfigured: ["agent", "operation", "endpoint"],
  CodeFailed: ["workflow", "version", "place"],
  JobExpired: STEP,
  JobRetried: STEP,
  JobWaits: STEP,
  JobHeld: STEP,
  JobRescheduled: STEP,
  JobResumed: [],
  AgentTimedOut: STEP,
  StepNotTakenUp: STEP,
  TakeUpUnrecorded: ["step"],
  StatusDelayed: [],
  MessageHeld: ["queue"],
  OutageEnded: ["queue"],
  MessagePostponed: ["queue", "outage"],
  RecoveryFailed: ["outage"],
  GaugesNotMeasured: ["what"],
};

export const ALIKE = Object.keys(ALIKE_BY) as readonly EventName[];

type Say = (attributes: Attributes) => void;

interface Interval {
  count: number;
  last: Attributes | undefined;
}

export type Reporter = (name: EventName, attributes: Attributes, say: Say, sayLater: Say) => void;

/** `sayLater` is called outside of the invocation, with the last of the events and, as `alike`, the number that it stands for. */
export function createReporter(schedule: (work: () => void) => void = afterInterval): Reporter {
  const intervals = new Map<string, Interval>();
  const begin = (key: string, sayLater: Say) => {
    const interval: Interval = { count: 0, last: undefined };
    intervals.set(key, interval);
    schedule(() => {
      intervals.delete(key);
      if (!interval.last) return;
      sayLater({ ...interval.last, alike: interval.count });
      begin(key, sayLater);
    });
  };
  return (name, attributes, say, sayLater) => {
    const key = keyOf(name, attributes);
    const interval = key && intervals.get(key);
    if (interval) {
      interval.count += 1;
      interval.last = attributes;
      return;
    }
    say(attributes);
    if (key) begin(key, sayLater);
  };
}

function keyOf(name: EventName, attributes: Attributes): string | undefined {
  const values = ALIKE_BY[name]?.map((attribute) => attributes[attribute] ?? null);
  return values && !values.includes(null) ? JSON.stringify([name, ...values]) : undefined;
}

function afterInterval(work: () => void): void {
  startTimer(REPORTED_EVERY_MS, work, { isIdle: true });
}
