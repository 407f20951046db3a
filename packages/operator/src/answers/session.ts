// The caller, and the environment.

import { z } from "zod";
import { pause } from "./agents.ts";

/** `GET /api/session`: the caller, the allowed actions, and the environment. */
export const session = z.strictObject({
  operator: z.string(),
  mayOperate: z.boolean(),
  environment: z.string(),
  /** The app's words for a job and for several, in texts for people. */
  words: z.strictObject({ one: z.string(), many: z.string() }),
  /** The business keys by which a job can be found. */
  keys: z.array(z.string()),
  /** The agents and the steps that a job can wait for. */
  agents: z.array(z.string()),
  steps: z.array(z.string()),
  /** The build of the console that this app serves: a page from another build is out of date. */
  build: z.string(),
  /** The address of a job's trace, with `{traceId}` in place of its id; null if none is set. */
  traceUrl: z.string().nullable(),
  /** The operators' pauses, for every view; null if they can't be read now. */
  pauses: z.array(pause).nullable(),
});

export type Session = z.output<typeof session>;
