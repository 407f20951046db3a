// What the app says of itself: structured events, by names that the alert rules match.
import { createReporter } from "./alike.ts";
import { type Attributes, EVENTS, type EventName, type Level } from "./event-names.ts";
import { measureEvent } from "./metrics.ts";
import { outgoingAttributes } from "./outgoing.ts";

export interface Telemetry {
  event(name: EventName, attributes: Attributes): void;
}

/** Where events go: an invocation's context has these. */
export type EventLog = { readonly [level in Level]: (line: string) => void };

/** Is given every event that is reported, beside the log. */
export type EventListener = (name: EventName, attributes: Attributes, level: Level) => void;

let listener: EventListener | undefined;

/** One for the process: its exporters. Undefined ends it. */
export function listenToEvents(next: EventListener | undefined): void {
  listener = next;
}

/** Of a skipped step: that its condition did not hold, or that nobody needs it, is the workflow at work as it was written. */
const PLANNED: ReadonlySet<unknown> = new Set(["condition", "needs", "notNeeded"]);

function levelOf(name: EventName, { cause = null }: Attributes): Level {
  if (name === "StepSkipped" && PLANNED.has(cause)) return "info";
  const [level] = EVENTS[name];
  return level;
}

const watchers = new Set<EventListener>();

/** Every event from now on, also of those alike that are not reported one by one. */
export function watchEvents(watcher: EventListener): void {
  watchers.add(watcher);
}

let notable = 0;

/**
 * How many events this process has had after which the operators' desk may show something else: failures, waits, what a service does later and what an
 * operator does. They are counted in memory alone, so that a view can ask often, and read the store again only when something has happened.
 */
export const notableEvents = (): number => notable;

const isNotable = (name: EventName, attributes: Attributes): boolean =>
  name === "StepAccepted" || name === "OperatorActed" || levelOf(name, attributes) !== "info";

const print = (line: string) => console.log(line);
/** For what happens outside any invocation: the host logs what the process prints. */
const PROCESS_LOG: EventLog = { info: print, warn: print, error: print };
const report = createReporter();

/** Events as one line of JSON each: the form in which Application Insights finds them in its traces. Each one is measured; of those alike not all are reported. */
export function logTelemetry(log: EventLog): Telemetry {
  return {
    event(name, given) {
      const attributes = outgoingAttributes(given);
      measureEvent(name, attributes);
      if (isNotable(name, attributes)) notable += 1;
      for (const watch of watchers) watch(name, attributes, levelOf(name, attributes));
      report(name, attributes, sayIn(log, name), sayIn(PROCESS_LOG, name));
    },
  };
}

function sayIn(log: EventLog, name: EventName): (attributes: Attributes) => void {
  return (attributes) => {
    const level = levelOf(name, attributes);
    log[level](JSON.stringify({ event: name, ...attributes }));
    listener?.(name, attributes, level);
  };
}

export const processTelemetry: Telemetry = logTelemetry(PROCESS_LOG);
