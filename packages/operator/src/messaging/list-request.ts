// The contract of a request for a list of jobs over HTTP.

import { PROCESS_STATES, type ProcessState } from "@scheduler-agent-supervisor/core/domain";
import { checkQuery, type Parsed } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";
import type { JobPosition } from "../store/job-list.ts";
import { filterOf, jobFilter, keyFaults } from "./job-filter.ts";
import { continuation, pageSize } from "./paging.ts";

export interface ListRequest extends ReturnType<typeof filterOf> {
  readonly processState?: ProcessState | undefined;
  readonly limit: number;
  readonly after?: JobPosition | undefined;
}

const PAGE = { usual: 50, most: 200 } as const;

const positionSchema = z.strictObject({
  createdAt: z.iso.datetime(),
  shown: z.array(z.string()),
}) satisfies z.ZodType<JobPosition>;

export const listRequest = z.strictObject({
  state: z.enum(PROCESS_STATES).optional(),
  ...jobFilter,
  limit: pageSize(PAGE),
  continuation: continuation(positionSchema),
});

/** The filter alone. */
export const countJobsQuery = z.strictObject({ state: z.enum(PROCESS_STATES).optional(), ...jobFilter });

/** @param keys the names of the business keys by which jobs can be found */
export function parseCountRequest(
  query: Iterable<[string, string]>,
  keys: readonly string[],
): Parsed<{ readonly request: Omit<ListRequest, "limit" | "after"> }> {
  const parsed = checkQuery(countJobsQuery, query);
  if (parsed.kind === "invalid") return parsed;
  const faults = keyFaults(parsed.value.key, keys);
  if (faults.length > 0) return { kind: "invalid", faults };
  const { state, ...filter } = parsed.value;
  return { kind: "valid", request: { processState: state, ...filterOf(filter) } };
}

/**
 * @param query the URL's query, each name with its value
 * @param keys the names of the business keys by which jobs can be found
 */
export function parseListRequest(
  query: Iterable<[string, string]>,
  keys: readonly string[],
): Parsed<{ readonly request: ListRequest }> {
  const parsed = checkQuery(listRequest, query);
  if (parsed.kind === "invalid") return parsed;
  const faults = keyFaults(parsed.value.key, keys);
  if (faults.length > 0) return { kind: "invalid", faults };
  const { state, limit, continuation: after, ...filter } = parsed.value;
  return { kind: "valid", request: { processState: state, ...filterOf(filter), limit, after } };
}
