// Public entry `core/telemetry`: events, metrics and traces.
export type { Attributes, EventName } from "./telemetry/event-names.ts";
export { logTelemetry, notableEvents, watchEvents } from "./telemetry/events.ts";
export { observe } from "./telemetry/invocation.ts";
export { isMeasured, measure } from "./telemetry/metrics.ts";
