// The contract of a request for a page of what awaits a report, or of the claims.
import { type Checked, checkQuery } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";
import { MOST_ON_A_PAGE } from "../domain/list-page.ts";
import { listContinuation, pageSize } from "./paging.ts";

/** As many as the console reads at once. */
const PAGE = { usual: MOST_ON_A_PAGE, most: MOST_ON_A_PAGE } as const;

export const pageQuery = z.strictObject({ limit: pageSize(PAGE), continuation: listContinuation });

/** @param given the URL's query, each name with its value */
export function parsePage(given: Iterable<[string, string]>): Checked<z.output<typeof pageQuery>> {
  return checkQuery(pageQuery, given);
}
