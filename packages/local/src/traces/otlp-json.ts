// OTLP in JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): what of a request is kept.

export type AnyValue = string | number | boolean | null | readonly AnyValue[] | { readonly [name: string]: AnyValue };
export type Attributes = { readonly [name: string]: AnyValue };

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  /** Microseconds since 1970, as all instants here: nanoseconds are more than a number holds. */
  readonly startUs: number;
  readonly endUs: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
  readonly message: string | null;
  readonly service: string;
}

export interface LogEvent {
  /** Null outside any trace. */
  readonly traceId: string | null;
  readonly spanId: string | null;
  readonly atUs: number;
  /** The event's name; for a record without one its body. */
  readonly name: string;
  readonly severity: string;
  readonly attributes: Attributes;
}

/** The last value of one series. */
export interface Point {
  readonly metric: string;
  readonly attributes: Attributes;
  readonly kind: "gauge" | "sum" | "histogram";
  readonly unit: string;
  readonly atUs: number;
  /** Of a histogram the sum. */
  readonly value: number;
  /** Of a histogram how many values; of others 1. */
  readonly count: number;
}

const KINDS = ["unspecified", "internal", "server", "client", "producer", "consumer"] as const;
type SpanKind = (typeof KINDS)[number];
const STATUS_ERROR = 2;

type Json = { readonly [name: string]: unknown };

/** @throws a TypeError where the body is not what the protocol says. */
export function spansOf(body: unknown): Span[] {
  return objects(body, "resourceSpans").flatMap((resource) => {
    const service = String(attributesOf(asObject(resource["resource"]))["service.name"] ?? "");
    return objects(resource, "scopeSpans").flatMap((scope) =>
      objects(scope, "spans").map((span): Span => {
        const status = asObject(span["status"]);
        return {
          traceId: text(span["traceId"]),
          spanId: text(span["spanId"]),
          parentId: text(span["parentSpanId"]) || null,
          name: text(span["name"]),
          kind: KINDS[Number(span["kind"] ?? 0)] ?? "unspecified",
          startUs: microseconds(span["startTimeUnixNano"]),
          endUs: microseconds(span["endTimeUnixNano"]),
          attributes: attributesOf(span),
          isError: status["code"] === STATUS_ERROR,
          message: text(status["message"]) || null,
          service,
        };
      }),
    );
  });
}

/** @throws as `spansOf` */
export function eventsOf(body: unknown): LogEvent[] {
  return objects(body, "resourceLogs").flatMap((resource) =>
    objects(resource, "scopeLogs").flatMap((scope) =>
      objects(scope, "logRecords").map(
        (record): LogEvent => ({
          traceId: text(record["traceId"]) || null,
          spanId: text(record["spanId"]) || null,
          atUs: microseconds(record["timeUnixNano"] ?? record["observedTimeUnixNano"]),
          name: text(record["eventName"]) || String(plainValue(record["body"]) ?? ""),
          severity: text(record["severityText"]),
          attributes: attributesOf(record),
        }),
      ),
    ),
  );
}

/** @throws as `spansOf` */
export function pointsOf(body: unknown): Point[] {
  return objects(body, "resourceMetrics").flatMap((resource) =>
    objects(resource, "scopeMetrics").flatMap((scope) => objects(scope, "metrics").flatMap(pointsOfMetric)),
  );
}

function pointsOfMetric(metric: Json): Point[] {
  return (["gauge", "sum", "histogram"] as const).flatMap((kind) =>
    objects(asObject(metric[kind]), "dataPoints").map((point) => ({
      metric: text(metric["name"]),
      attributes: attributesOf(point),
      kind,
      unit: text(metric["unit"]),
      atUs: microseconds(point["timeUnixNano"]),
      value: Number((kind === "histogram" ? point["sum"] : (point["asDouble"] ?? point["asInt"])) ?? 0),
      count: kind === "histogram" ? Number(point["count"] ?? 0) : 1,
    })),
  );
}

function attributesOf(owner: Json): Attributes {
  const entries = objects(owner, "attributes").map(({ key, value }): [string, AnyValue] => [
    text(key),
    plainValue(value),
  ]);
  return Object.fromEntries(entries);
}

function plainValue(typed: unknown): AnyValue {
  const value = asObject(typed);
  if ("stringValue" in value) return text(value["stringValue"]);
  if ("boolValue" in value) return value["boolValue"] === true;
  // 64 bits come as text.
  if ("intValue" in value) return Number(value["intValue"]);
  if ("doubleValue" in value) return Number(value["doubleValue"]);
  if ("arrayValue" in value) return objects(asObject(value["arrayValue"]), "values").map(plainValue);
  if ("kvlistValue" in value) {
    const pairs = objects(asObject(value["kvlistValue"]), "values");
    return Object.fromEntries(pairs.map(({ key, value: inner }): [string, AnyValue] => [text(key), plainValue(inner)]));
  }
  return null;
}

function objects(owner: unknown, member: string): Json[] {
  const list = asObject(owner)[member] ?? [];
  if (!Array.isArray(list)) throw new TypeError(`${member} is no list`);
  return list.map(asObject);
}

function asObject(value: unknown): Json {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new TypeError(`${JSON.stringify(value)} is no object`);
  return value as Json;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function microseconds(nanoseconds: unknown): number {
  return Number(BigInt(typeof nanoseconds === "string" || typeof nanoseconds === "number" ? nanoseconds : 0) / 1000n);
}
