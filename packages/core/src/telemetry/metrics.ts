// What the app measures: the metrics by name, and which of them follow from its events.
import type { Attributes, EventName } from "./event-names.ts";

/** A count, a spread of values, a state that holds until it is set again, or an instant whose age is measured. */
type MetricKind = "counter" | "histogram" | "gauge" | "age";

interface MetricDefinition {
  readonly kind: MetricKind;
  readonly unit: string;
  readonly description: string;
  /** Its attributes, and what they say where the name does not. */
  readonly attributes: string;
  /** Upper bounds of a histogram's buckets. */
  readonly bounds?: readonly number[];
  /** A gauge that says what a sweep found is silent once that is old; another holds. */
  readonly expires?: boolean;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const SHORT_MS = [5, 10, 25, 50, 100, 250, 500, SECOND, 2.5 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE];
const LONG_MS = [...SHORT_MS, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR];

export const METRICS = {
  "jobs.by_state": {
    kind: "gauge",
    unit: "{job}",
    attributes: "`state`, `kind` (of an error)",
    description: "Jobs Pending, Processing, and in Error by each kind that needs a person",
    expires: true,
  },
  "jobs.overdue": {
    kind: "gauge",
    unit: "{job}",
    attributes: "",
    description: "Jobs that a sweep has to deal with",
    expires: true,
  },
  "jobs.held_up": {
    kind: "gauge",
    unit: "{job}",
    attributes: "`agent`, `reason`",
    description: "Jobs that wait for an agent, and do not go on",
    expires: true,
  },
  "jobs.critical_time": {
    kind: "histogram",
    unit: "ms",
    attributes: "",
    description: "From the job's arrival in its queue, by the broker's clock, to Processed",
    bounds: LONG_MS,
  },
  "jobs.late_replies": {
    kind: "counter",
    unit: "{reply}",
    attributes: "`step`",
    description: "Replies that nobody waited for any more",
  },
  "replies.unverified": {
    kind: "counter",
    unit: "{reply}",
    attributes: "",
    description: "Replies from agents' queues that are rejected unread: they do not have their request's nonce",
  },
  "completions.rejected": {
    kind: "counter",
    unit: "{request}",
    attributes: "",
    description:
      "Requests to the address for reports that are rejected unread: nobody was given the address, or the body is at fault",
  },
  "steps.duration": {
    kind: "histogram",
    unit: "ms",
    attributes: "`agent`, `step`, `outcome`: completed, compensated, rejected",
    description: "From a step's start to its end",
    bounds: LONG_MS,
  },
  "steps.retries": {
    kind: "counter",
    unit: "{retry}",
    attributes: "`by`: agent, supervisor; `agent`; `step` if the supervisor retries",
    description: "Further tries by an agent inside a step's time, and further attempts that the supervisor had made",
  },
  "agents.breaker": {
    kind: "gauge",
    unit: "1",
    attributes: "`agent`, `endpoint`",
    description: "1 while an endpoint's circuit is not closed",
  },
  "agents.timeouts": {
    kind: "counter",
    unit: "{stop}",
    attributes: "`agent`, `step`",
    description: "Agents that stopped past complete-by",
  },
  "supervisor.sweep.duration": {
    kind: "histogram",
    unit: "ms",
    attributes: "`endedBy`",
    description: "How long a sweep took",
    bounds: SHORT_MS,
  },
  "supervisor.sweep.age": {
    kind: "age",
    unit: "s",
    attributes: "",
    description: "Since the last sweep without a fault, reported by the active supervisor",
  },
  "queues.oldest_message_age": {
    kind: "gauge",
    unit: "s",
    attributes: "`queue`, `cause`",
    description: "How long the oldest message of a queue has waited since its first arrival, by cause; 0 if none waits",
    expires: true,
  },
} as const satisfies { readonly [name: string]: MetricDefinition };

export type MetricName = keyof typeof METRICS;

/** Takes a value; of the kind `age` an instant in milliseconds since 1970, or undefined to say no more. */
export type Meter = (name: MetricName, value: number | undefined, attributes: Attributes) => void;

let meter: Meter | undefined;

/** One for the process. Undefined: nothing is measured. */
export function measureWith(next: Meter | undefined): void {
  meter = next;
}

export function isMeasured(): boolean {
  return meter !== undefined;
}

export function measure(name: MetricName, value: number | undefined, attributes: Attributes = {}): void {
  meter?.(name, value, attributes);
}

interface Derivation {
  readonly metric: MetricName;
  /** The attribute that is the value, or how it is found; 1 if absent. Without a number nothing is measured. */
  readonly value?: string | ((attributes: Attributes) => number | undefined);
  /** Attributes that the metric takes over. */
  readonly by?: readonly string[];
  readonly further?: Attributes;
}

const STEP = ["agent", "step"] as const;
const BY_SUPERVISOR = { metric: "steps.retries", by: STEP, further: { by: "supervisor" } } as const;
const CLOSED: ReadonlySet<unknown> = new Set(["healthy", "resting"]);

/** Event → metrics. */
export const DERIVED: { readonly [name in EventName]?: readonly Derivation[] } = {
  JobProcessed: [{ metric: "jobs.critical_time", value: "criticalMs" }],
  StepCompleted: [{ metric: "steps.duration", value: "ms", by: STEP, further: { outcome: "completed" } }],
  StepCompensated: [{ metric: "steps.duration", value: "ms", by: STEP, further: { outcome: "compensated" } }],
  StepRejected: [{ metric: "steps.duration", value: "ms", by: STEP, further: { outcome: "rejected" } }],
  JobRetried: [BY_SUPERVISOR],
  JobWaits: [BY_SUPERVISOR],
  LateReplyRejected: [{ metric: "jobs.late_replies", by: ["step"] }],
  AgentTimedOut: [{ metric: "agents.timeouts", by: STEP }],
  EndpointHealth: [
    { metric: "agents.breaker", value: ({ to }) => (CLOSED.has(to) ? 0 : 1), by: ["agent", "endpoint"] },
  ],
  SupervisorSweep: [
    { metric: "supervisor.sweep.duration", value: "ms", by: ["endedBy"] },
    { metric: "supervisor.sweep.age", value: ({ endedBy }) => (endedBy === "fault" ? undefined : Date.now()) },
  ],
};

/** Measures what an event stands for. */
export function measureEvent(name: EventName, attributes: Attributes): void {
  // Another one sweeps: the age of a sweep is that one's to measure.
  if (name === "SupervisorFollows") measure("supervisor.sweep.age", undefined);
  for (const { metric, value = () => 1, by = [], further = {} } of DERIVED[name] ?? []) {
    const found = typeof value === "string" ? attributes[value] : value(attributes);
    if (typeof found !== "number") continue;
    const taken = by.map((attribute): [string, Attributes[string]] => [attribute, attributes[attribute] ?? null]);
    measure(metric, found, { ...Object.fromEntries(taken), ...further });
  }
}
