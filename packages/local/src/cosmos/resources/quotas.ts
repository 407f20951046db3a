// How many databases and containers an account has: what is beyond is not made.
import { quotaFault } from "../../limit.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import type { JsonObject } from "../sql/values.ts";
import type { DatabaseRecord } from "./catalog.ts";

/** The account, as far as it is counted. */
export interface CountedAccount {
  readonly databases: ReadonlyMap<string, CountedDatabase>;
  throughputOf(rid: string): JsonObject | undefined;
}

type CountedDatabase = Pick<DatabaseRecord, "rid"> & {
  readonly containers: ReadonlyMap<string, { readonly rid: string }>;
};

/** Why there is no room for one more database; containers count as much. */
export function databaseQuotaFault({ databases }: CountedAccount): string | undefined {
  const there = [...databases.values()].reduce((sum, { containers }) => sum + 1 + containers.size, 0);
  return quotaFault(COSMOS_LIMITS.resources, there + 1);
}

/** Why there is no room for one more container. @param hasOwnThroughput it takes no part in that of its database */
export function containerQuotaFault(
  account: CountedAccount,
  { rid, containers }: CountedDatabase,
  hasOwnThroughput: boolean,
): string | undefined {
  const full = databaseQuotaFault(account);
  if (full !== undefined || hasOwnThroughput || !account.throughputOf(rid)) return full;
  const sharing = [...containers.values()].filter((container) => !account.throughputOf(container.rid));
  return quotaFault(COSMOS_LIMITS.sharedContainers, sharing.length + 1);
}
