// Agents and workflows: the pauses, and the health of each endpoint in each instance of the app.
import { z } from "zod";
import { count, instant } from "./parts.ts";

export const pause = z.strictObject({
  kind: z.enum(["workflow", "agent"]),
  name: z.string(),
  by: z.string(),
  at: instant,
  reason: z.string(),
});

/** `POST /api/pauses`: the pauses after the request. */
export const pauses = z.strictObject({ pauses: z.array(pause) });

/** An endpoint as one instance of the app sees it. */
const endpointHealth = z.strictObject({
  endpoint: z.string(),
  health: z.enum(["healthy", "resting", "broken", "probeDue", "probing"]),
  /** Calls in progress from this instance, and their limit. */
  inFlight: count,
  capacity: count,
  isSlow: z.boolean(),
  lastError: z.string().nullable(),
  /** Since when it is not healthy, or slow; absent if it is well. */
  since: instant.optional(),
});

/** `GET /api/agents`. */
export const agentHealth = z.strictObject({
  asOf: instant,
  pauses: z.array(pause),
  workflows: z.array(z.string()),
  agents: z.array(
    z.strictObject({
      name: z.string(),
      /** The recent reports of instances; an instance with nothing to report is not included. */
      instances: z.array(z.strictObject({ instance: z.string(), at: instant, endpoints: z.array(endpointHealth) })),
    }),
  ),
});

export type Pause = z.output<typeof pause>;
export type Pauses = z.output<typeof pauses>;
export type AgentHealth = z.output<typeof agentHealth>;
export type EndpointHealth = z.output<typeof endpointHealth>;
