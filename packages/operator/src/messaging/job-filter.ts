// The filter of a search: its members, the same for a list and for an action on all matches.

import { ERROR_KINDS } from "@scheduler-agent-supervisor/core/domain";
import { z } from "zod";
import type { WaitsFor } from "../store/waits-for.ts";

/** A searched text is no longer than a name. */
const NAME_LIMIT = 200;
const TIMES = ["received", "sent", "changed", "ended"] as const;

const instant = z.iso
  .datetime({ offset: true, error: "must be an instant such as 2026-01-31T12:00:00Z" })
  .transform((text) => new Date(text).toISOString());

/** The search's own members besides the state. */
export const jobFilter = {
  kind: z.enum(ERROR_KINDS).optional(),
  workflow: z.string().min(1).max(NAME_LIMIT).optional(),
  /** The version of the workflow; in a URL it is a text. */
  version: z
    .union(
      [
        z.int().min(1),
        z
          .string()
          .regex(/^[1-9]\d{0,8}$/)
          .transform(Number),
      ],
      {
        error: "must be a version's number, such as 2",
      },
    )
    .optional(),
  step: z
    .string()
    .regex(/^[a-z][A-Za-z0-9]{0,49}$/, "must be the name of a step, such as takePayment")
    .optional(),
  /** The name of a business key, a colon, and its value. */
  key: z
    .string()
    .regex(new RegExp(`^[a-z][A-Za-z0-9]{0,49}:\\S.{0,${NAME_LIMIT}}$`), {
      error: "must be a business key and its value, such as customer:…",
    })
    .optional(),
  /** What a job waits for that has not ended. */
  waitsFor: z
    .string()
    .regex(/^(agent:[a-z][A-Za-z0-9-]{0,49}|step:[a-z][A-Za-z0-9]{0,49}|person|time)$/, {
      error: "must be agent:NAME, step:NAME, person or time",
    })
    .optional(),
  q: z.string().trim().min(1).max(NAME_LIMIT).optional(),
  /** The time that `from` and `to` refer to; if absent, when the job was received. */
  timeOf: z.enum(TIMES).optional(),
  from: instant.optional(),
  /** Excluded. */
  to: instant.optional(),
};

const schema = z.object(jobFilter);
export type RequestedFilter = z.output<typeof schema>;

/** In the store's form. */
export function filterOf({
  kind,
  workflow,
  version,
  step,
  key,
  waitsFor,
  q,
  timeOf = "received",
  from,
  to,
}: RequestedFilter) {
  const time = from === undefined && to === undefined ? undefined : { of: timeOf, from, to };
  return { kind, workflow, version, step, text: q, time, key: keyIn(key), waitsFor: waitIn(waitsFor) };
}

/** The fault of a searched business key, as text. @param keys those of the app's contracts */
export function keyFaults(key: string | undefined, keys: readonly string[]): string[] {
  if (key === undefined || keys.some((name) => key.startsWith(`${name}:`))) return [];
  return [`key: must be ${keys.map((name) => `${name}:…`).join(" or ")}`];
}

function waitIn(text: string | undefined): WaitsFor | undefined {
  if (text === undefined) return undefined;
  const [of = "", name = ""] = text.split(":");
  if (of === "agent" || of === "step") return { of, name };
  return { of: of === "person" ? "person" : "time" };
}

function keyIn(text: string | undefined) {
  const end = text?.indexOf(":") ?? -1;
  return text !== undefined && end > 0 ? { name: text.slice(0, end), value: text.slice(end + 1).trim() } : undefined;
}
