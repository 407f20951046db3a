// Public entry `local/traces`: the collector of traces, and what it has stored.
export type { AnyValue, Attributes, LogEvent, Span } from "./traces/otlp-json.ts";
export { type RunningTraces, startTraces, type TracesOptions } from "./traces/start.ts";
export { openTraces, type Trace, type TraceReader } from "./traces/trace-file.ts";
