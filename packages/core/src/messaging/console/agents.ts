// Agents and workflows: what is paused, and how each endpoint does in each instance of the app.
import { z } from "zod";
import { count, instant } from "./parts.ts";

export const pause = z.strictObject({
  kind: z.enum(["workflow", "agent"]),
  name: z.string(),
  by: z.string(),
  at: instant,
  reason: z.string(),
});

/** `POST /api/pauses`: what is paused then. */
export const pauses = z.strictObject({ pauses: z.array(pause) });

/** An endpoint as one instance of the app sees it. */
const endpointStanding = z.strictObject({
  endpoint: z.string(),
  health: z.enum(["healthy", "resting", "broken", "probeDue", "probing"]),
  /** Calls under way from this instance, and how many it lets there be at once. */
  inFlight: count,
  capacity: count,
  isSlow: z.boolean(),
  lastError: z.string().nullable(),
});

/** `GET /api/agents`. */
export const agentStandings = z.strictObject({
  asOf: instant,
  pauses: z.array(pause),
  workflows: z.array(z.string()),
  agents: z.array(
    z.strictObject({
      name: z.string(),
      /** What instances have said of late; one that has nothing to say is not in it. */
      instances: z.array(z.strictObject({ instance: z.string(), at: instant, endpoints: z.array(endpointStanding) })),
    }),
  ),
});

export type Pause = z.output<typeof pause>;
export type Pauses = z.output<typeof pauses>;
export type AgentStandings = z.output<typeof agentStandings>;
export type EndpointStanding = z.output<typeof endpointStanding>;
