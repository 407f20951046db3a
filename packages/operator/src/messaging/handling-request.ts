// The contract of claims and notes that operators send.

import { type Checked, checkJson } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";
import { HANDLED } from "../domain/handling.ts";

const NOTE_LIMIT = 500;

const target = z.strictObject({ kind: z.enum(HANDLED), id: z.string().min(1).max(400) });

export const handlingBody = z.strictObject({
  target,
  change: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.enum(["claim", "release"]) }),
    z.strictObject({ kind: z.literal("note"), text: z.string().trim().min(1).max(NOTE_LIMIT) }),
  ]),
});

/** @param text the request's body */
export function parseHandlingChange(text: string): Checked<z.output<typeof handlingBody>> {
  return checkJson(handlingBody, text, "the body");
}
