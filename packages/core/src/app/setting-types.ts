// The kinds of settings, each checked and parsed.

import { z } from "zod";
import type { Endpoint } from "../agents/agent.ts";
import { parseEndpoints, transportFault } from "../agents/endpoint-list.ts";
import { durationMs } from "../domain/duration.ts";

/** How the operator API identifies its callers. */
export const SIGN_INS = ["entra", "key", "development"] as const;
export type OperatorSignIn = (typeof SIGN_INS)[number];

export const queueName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,259}$/, "must be the name of a queue");
/** The endpoints of an agent's service, and the app's authentication there: see agents/endpoint-list.ts. */
export const endpoints = z.string().transform((text, context): readonly Endpoint[] => {
  const { found, faults } = parseEndpoints(text);
  for (const message of faults) context.addIssue({ code: "custom", message });
  return found;
});

/** The address of a service that the app signs in to, or sends its jobs to. */
export const serviceUrl = z.url({ protocol: /^https?$/ }).superRefine((text, context) => {
  const url = URL.parse(text);
  if (!url) return;
  const fault = url.username || url.password ? "must not name a user" : transportFault(url);
  if (fault) context.addIssue({ code: "custom", message: fault });
});

/** An address that people open in their browser. */
export const traceUrl = z.url({ protocol: /^https?$/ }).refine((text) => text.includes("{traceId}"), {
  error: "must have {traceId} where the id of a trace stands",
});

export const duration = (usual: string) =>
  z
    .string()
    .default(usual)
    .transform((text, context) => {
      const ms = durationMs(text);
      if (ms !== undefined) return ms;
      context.addIssue({ code: "custom", message: `must be an ISO 8601 duration such as ${usual}` });
      return z.NEVER;
    });

const NUMBER_OR_NAME = "(\\d+|[A-Za-z]{3})";
const CRON_FIELD = new RegExp(`^(\\*|${NUMBER_OR_NAME}(-${NUMBER_OR_NAME})?)(/\\d+)?$`);
const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const DAYS = "SUN MON TUE WED THU FRI SAT".split(" ");
/** The first and last value of each field, and the names of some. */
const CRON_FIELDS: readonly (readonly [first: number, last: number, names?: readonly string[]])[] = [
  [0, 59],
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12, MONTHS],
  [0, 6, DAYS],
];

/**
 * A schedule that the timers of Azure Functions take: NCRONTAB with seconds, numbers or three letters. A function with another
 * one does not run there, and nothing else fails. (They also take some odd forms that are refused here.)
 */
export const schedule = z.string().refine((text) => {
  const fields = text.split(/ +/);
  if (fields.length !== CRON_FIELDS.length) return false;
  return CRON_FIELDS.every(([first, last, names = []], at) =>
    (fields[at] ?? "").split(",").every((part) => {
      if (!CRON_FIELD.test(part)) return false;
      const values = part.replace(/\/.*/, "").split("-");
      return values.every((value) => {
        const isNumber = Number(value) >= first && Number(value) <= last;
        return value === "*" || isNumber || names.includes(value.toUpperCase());
      });
    }),
  );
}, "must be NCRONTAB with six fields, seconds first, such as */10 * * * * *: *, numbers, names, ranges, lists and steps");

/** "Time to live (TTL) in Azure Cosmos DB": the maximum number of seconds for a document. */
const LONGEST_KEPT_MS = 2_147_483_647 * 1000;

export const keptFor = z
  .string()
  .default("forever")
  .transform((text, context) => {
    if (text === "forever") return undefined;
    const ms = durationMs(text);
    if (ms !== undefined && ms > 0 && ms <= LONGEST_KEPT_MS) return ms;
    context.addIssue({
      code: "custom",
      message: "must be forever or an ISO 8601 duration such as P90D, of at most 68 years",
    });
    return z.NEVER;
  });

/** "Naming and Referencing Containers, Blobs, and Metadata". */
export const containerOrNone = z
  .string()
  .regex(/^(none|(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*)$/, "must be none or the name of a blob container")
  .default("none")
  .transform((name) => (name === "none" ? undefined : name));

/** A setting that is present but empty counts as absent. */
export const textOrNothing = z
  .string()
  .optional()
  .transform((text) => text || undefined);
