// The trace of an HTTP request: the host has a span of its own for it, in the caller's trace or in a new one that nobody records.
import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

const TRACEPARENT = /^00-([\da-f]{32})-[\da-f]{16}-([\da-f]{2})$/;
const UNRECORDED = "00";

export function requestTrace(headers: IncomingHttpHeaders): {
  readonly traceParent: string;
  readonly traceState: string;
} {
  const [, callers, flags = UNRECORDED] = TRACEPARENT.exec(String(headers["traceparent"])) ?? [];
  const traceId = callers ?? randomBytes(16).toString("hex");
  const state = headers["tracestate"];
  return {
    traceParent: `00-${traceId}-${randomBytes(8).toString("hex")}-${flags}`,
    traceState: callers !== undefined && typeof state === "string" ? state : "",
  };
}
