// How many databases and containers an account has: what is beyond is not made.
import { quotaFault } from "../limit.ts";
import type { DatabaseRecord } from "./catalog.ts";
import { COSMOS_LIMITS } from "./limits.ts";
import type { JsonObject } from "./sql/values.ts";

/** The account, as far as it is counted. */
export interface CountedAccount {
  readonly databases: ReadonlyMap<string, CountedDatabase>;
  throughputOf(rid: string): JsonObject | undefined;
}

type CountedDatabase = Pick<DatabaseRecord, "rid"> & {
  readonly containers: ReadonlyMap<string, { readonly rid: string }>;
};

/** Why there is no room for one more database. */
export function databaseQuotaFault({ databases }: CountedAccount): string | undefined {
  return quotaFault(COSMOS_LIMITS.databases, databases.size + 1);
}

/** Why there is no room for one more container. @param hasOwnThroughput it takes no part in that of its database */
export function containerQuotaFault(
  account: CountedAccount,
  { rid, containers }: CountedDatabase,
  hasOwnThroughput: boolean,
): string | undefined {
  const all = [...account.databases.values()].reduce((sum, database) => sum + database.containers.size, 0);
  const full = quotaFault(COSMOS_LIMITS.containers, all + 1);
  if (full !== undefined || hasOwnThroughput || !account.throughputOf(rid)) return full;
  const sharing = [...containers.values()].filter((container) => !account.throughputOf(container.rid));
  return quotaFault(COSMOS_LIMITS.sharedContainers, sharing.length + 1);
}
