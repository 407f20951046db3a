// Who asks, and which environment this is.
import { z } from "zod";
import { pause } from "./agents.ts";

export const ENVIRONMENT_COLOURS = ["grey", "blue", "green", "orange", "red", "purple"] as const;

/** `GET /api/session`: who asks, what they may do, and where they are. */
export const session = z.strictObject({
  operator: z.string(),
  mayOperate: z.boolean(),
  environment: z.strictObject({ name: z.string(), colour: z.enum(ENVIRONMENT_COLOURS) }),
  /** What the app calls a job. */
  noun: z.strictObject({ one: z.string(), many: z.string() }),
  /** By which of its business keys a job can be found. */
  keys: z.array(z.string()),
  /** Of the console that this app serves: a page that is another build is out of date. */
  build: z.string(),
  /** The address of a job's trace, with `{traceId}` in the place of its id; null where none is set. */
  traceUrl: z.string().nullable(),
  /** What operators have paused, for every view to say so. */
  pauses: z.array(pause),
});

export type Session = z.output<typeof session>;
