// The contract of a request for the steps that await a report.
import { type Checked, checkQuery } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";
import { MOST_ON_A_PAGE } from "../domain/list-page.ts";
import { listContinuation, pageSize } from "./paging.ts";

export const awaitingQuery = z.strictObject({
  limit: pageSize({ usual: MOST_ON_A_PAGE, most: MOST_ON_A_PAGE }),
  continuation: listContinuation,
  /** Only the steps in which this person, group or role has to act. */
  assignee: z.string().min(1).max(200).optional(),
});

/** @param query the URL's query, each name with its value */
export function parseAwaitingQuery(query: Iterable<[string, string]>): Checked<z.output<typeof awaitingQuery>> {
  return checkQuery(awaitingQuery, query);
}
