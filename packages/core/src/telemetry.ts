// Public entry `core/telemetry`: events, metrics and traces, for desk, test kit and documentation.
export { ALIKE } from "./telemetry/alike.ts";
export { type Attributes, EVENTS, type EventName } from "./telemetry/event-names.ts";
export { type EventLog, logTelemetry, notableEvents, watchEvents } from "./telemetry/events.ts";
export { recordingExceptions } from "./telemetry/exceptions.ts";
export {
  azureMonitor,
  cumulativeButGauges,
  parseAuthentication,
  type TelemetrySettings,
} from "./telemetry/exporters.ts";
export { createInstruments } from "./telemetry/instruments.ts";
export { type Invocation, messageTraceparent, observe, observeMessage } from "./telemetry/invocation.ts";
export {
  DERIVED,
  isMeasured,
  METRICS,
  type MetricName,
  measure,
  measureEvent,
  measureWith,
} from "./telemetry/metrics.ts";
export { startSdk } from "./telemetry/sdk.ts";
export { describeSpan, failSpan, inSpan, traceWith } from "./telemetry/spans.ts";
export { flushTelemetry, isExporting, startTelemetry, stopTelemetry } from "./telemetry/start.ts";
export { activeTraceparent, formatTraceparent, fromHere, parseTraceparent } from "./telemetry/trace-context.ts";
