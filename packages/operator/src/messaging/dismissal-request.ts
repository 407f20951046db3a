// The contract of a request to dismiss a report.

import { type Checked, checkJson } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";

export const dismissalBody = z.strictObject({ reason: z.string().trim().min(1).max(500) });

/** @param text the request's body */
export function parseDismissal(text: string): Checked<z.output<typeof dismissalBody>> {
  return checkJson(dismissalBody, text, "the body");
}
