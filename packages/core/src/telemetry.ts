// Public entry `core/telemetry`: events, metrics and traces, for desk, test kit and documentation.
export { ALIKE } from "./telemetry/alike.ts";
export { type Attributes, EVENTS, type EventName } from "./telemetry/event-names.ts";
export { logTelemetry, notableEvents, watchEvents } from "./telemetry/events.ts";
export { observe } from "./telemetry/invocation.ts";
export { DERIVED, isMeasured, METRICS, type MetricName, measure, measureWith } from "./telemetry/metrics.ts";
