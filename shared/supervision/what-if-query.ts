// What may be asked of the supervisor over HTTP: the query of a what-if, with every fault named.
import { z } from "zod";
import { durationMs } from "../domain/duration.ts";

const duration = z.string().transform((text, context) => {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  context.addIssue({ code: "custom", message: "must be an ISO 8601 duration such as PT2S" });
  return z.NEVER;
});

const whatIfQuery = z
  .strictObject({
    failureThreshold: z
      .string()
      .regex(/^[1-9]\d{0,2}$/, "must be a whole number from 1 to 999")
      .transform(Number)
      .optional(),
    onExhausted: z.enum(["fail", "undo"]).optional(),
    clockSkew: duration.optional(),
    at: z.iso.datetime({ offset: true, error: "must be an instant such as 2026-01-31T12:00:00Z" }).optional(),
  })
  .transform(({ clockSkew, ...rest }) => ({ ...rest, clockSkewMs: clockSkew }));

/** A function's key may come in the query: that is between the caller and the Functions host. */
const OF_THE_HOST: ReadonlySet<string> = new Set(["code", "clientId"]);

/** A sweep has nothing to be asked with. */
const sweepQuery = z.strictObject({});

export type Asked<T> =
  | { readonly kind: "asked"; readonly query: T }
  | { readonly kind: "invalid"; readonly faults: readonly string[] };

export type WhatIfQuery = z.output<typeof whatIfQuery>;

/** @param query the URL's, each name with its value */
export function parseWhatIfQuery(query: Iterable<[string, string]>): Asked<WhatIfQuery> {
  return parse(whatIfQuery, query);
}

export function parseSweepQuery(query: Iterable<[string, string]>): Asked<Record<string, never>> {
  return parse(sweepQuery, query);
}

function parse<T>(schema: z.ZodType<T>, query: Iterable<[string, string]>): Asked<T> {
  const pairs = [...query].filter(([name]) => !OF_THE_HOST.has(name));
  const names = pairs.map(([name]) => name);
  const repeated = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  const parsed = schema.safeParse(Object.fromEntries(pairs));
  const faults = [
    ...repeated.map((name) => `${name}: is given more than once`),
    ...(parsed.error?.issues ?? []).flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((name) => `${name}: is no parameter of this request`)
        : [`${issue.path.join(".")}: ${issue.message}`],
    ),
  ];
  if (!parsed.success || faults.length > 0) return { kind: "invalid", faults };
  return { kind: "asked", query: parsed.data };
}
