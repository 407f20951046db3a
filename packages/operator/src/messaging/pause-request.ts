// The contract of a request to pause or resume a workflow or an agent.

import { type Checked, checkJson } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";

export const pauseBody = z.strictObject({
  kind: z.enum(["workflow", "agent"]),
  name: z.string().min(1).max(200),
  change: z.enum(["pause", "resume"]),
  reason: z.string().trim().min(1).max(500),
});

/** @param text the request's body */
export function parsePauseChange(text: string): Checked<z.output<typeof pauseBody>> {
  return checkJson(pauseBody, text, "the body");
}
