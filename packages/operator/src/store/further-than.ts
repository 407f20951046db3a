// The part of a query that begins where a page of a list has ended.
import type { SqlParameter } from "@azure/cosmos";
import type { ListPosition } from "../domain/list-page.ts";

interface Further {
  /** Beside other conditions; empty for the first page. */
  readonly condition: string;
  readonly parameters: readonly SqlParameter[];
}

/** Of documents with `at`, ordered by it, the newest first. */
export function furtherThan(after: ListPosition | undefined): Further {
  if (!after) return { condition: "", parameters: [] };
  return {
    condition: " AND c.at <= @at AND NOT ARRAY_CONTAINS(@shown, c.id)",
    parameters: [
      { name: "@at", value: after.at },
      { name: "@shown", value: [...after.shown] },
    ],
  };
}
