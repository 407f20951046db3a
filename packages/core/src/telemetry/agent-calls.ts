// What is seen of the agents' calls: a span for each try, the tries beyond the first, and each endpoint's health.
import { SpanKind } from "@opentelemetry/api";
import type { Finding } from "../agents/agent.ts";
import type { ObserveTry, OnHealth, OnMisconfigured } from "../agents/route-agent.ts";
import type { Health } from "../agents/routing.ts";
import { processTelemetry } from "./events.ts";
import { measure } from "./metrics.ts";
import { failSpan, inSpan } from "./spans.ts";
import { activeTraceparent } from "./trace-context.ts";

export const observeTry: ObserveTry = ({ agent, operation, endpoint, tries }, call) => {
  if (tries > 1) measure("steps.retries", 1, { agent, by: "agent" });
  const http = { "http.request.method": "POST", "url.full": endpoint };
  return inSpan(
    `${agent} ${operation}`,
    { kind: SpanKind.CLIENT, attributes: { agent, operation, endpoint, try: tries, ...http } },
    async (): Promise<Finding> => {
      const reply = await call(activeTraceparent());
      if (reply.kind === "unavailable") failSpan(reply.message);
      return reply;
    },
  );
};

/** A try failed by the endpoint's address or our credential for it. */
export const reportMisconfigured: OnMisconfigured = (agent, operation, { endpoint, message }) =>
  processTelemetry.event("EndpointMisconfigured", { agent, operation, endpoint, message });

const AWAY: ReadonlySet<Health> = new Set<Health>(["broken", "probeDue", "probing"]);

/** An endpoint's outage begins or ends, or the endpoint asked for a pause. Its probes meanwhile are no events. */
export function createHealthObserver(now: () => number = Date.now): OnHealth {
  const awaySince = new Map<string, number>();
  return (agent, endpoint, to, because) => {
    const key = `${agent} ${endpoint}`;
    const since = awaySince.get(key);
    if (AWAY.has(to)) {
      if (since !== undefined) return;
      awaySince.set(key, now());
    } else awaySince.delete(key);
    const awayMs = since === undefined ? null : now() - since;
    processTelemetry.event("EndpointHealth", { agent, endpoint, to, because, awayMs });
  };
}
