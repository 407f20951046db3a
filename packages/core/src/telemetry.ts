// Public entry `core/telemetry`: events, metrics and traces.
export type { Attributes, EventName } from "./telemetry/event-names.ts";
export { logTelemetry, notableEvents, type Telemetry, watchEvents } from "./telemetry/events.ts";
export { observe } from "./telemetry/invocation.ts";
export { isMeasured, measure } from "./telemetry/metrics.ts";
export { outgoing } from "./telemetry/outgoing.ts";
export { activeTraceparent } from "./telemetry/trace-context.ts";
