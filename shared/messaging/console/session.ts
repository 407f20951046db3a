// Who asks, and which environment this is.
import { z } from "zod";

export const ENVIRONMENT_COLOURS = ["grey", "blue", "green", "orange", "red", "purple"] as const;

/** `GET /api/session`: who asks, what they may do, and where they are. */
export const session = z.strictObject({
  operator: z.string(),
  mayOperate: z.boolean(),
  environment: z.strictObject({ name: z.string(), colour: z.enum(ENVIRONMENT_COLOURS) }),
  /** Of the console that this app serves: a page that is another build is out of date. */
  build: z.string(),
});

export type Session = z.output<typeof session>;
