// What both forms of the change feed have in common.
import type { KeyScope } from "../partitions/key-scope.ts";
import type { Filter } from "../queries/walk.ts";
import type { Reply } from "../request.ts";

/** There is nothing after that write. */
export const nothing = (lsn: number): Reply => ({
  status: 304,
  charge: 1,
  headers: ["etag", `"${lsn}"`, "x-ms-item-count", "0"],
});

export function keyFilters({ pk, prefix, hashes }: KeyScope): Filter[] {
  const filters: Filter[] = [];
  if (pk !== undefined) filters.push({ sql: "+pk = ?", bindings: [pk] });
  if (prefix) filters.push({ sql: "+pk >= ? AND +pk < ?", bindings: [prefix.from, prefix.below] });
  if (hashes) {
    filters.push({ sql: `${hashes.of}(pk) >= ? AND ${hashes.of}(pk) < ?`, bindings: [hashes.min, hashes.max] });
  }
  return filters;
}
