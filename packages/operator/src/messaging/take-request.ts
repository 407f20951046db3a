// The contract of a request to take a job, or to release it.

import { type Checked, checkJson } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";

export const takeBody = z.strictObject({ taken: z.boolean() });

/** @param text the request's body */
export function parseTake(text: string): Checked<z.output<typeof takeBody>> {
  return checkJson(takeBody, text, "the body");
}
