// Writes to the store of which one that fails does not take those with it that share its commit.
import type { Database } from "../../database/database.ts";

/**
 * As `Database.write`, but a bug in `work` (a document too deep to be written, say) rejects this caller alone. `work` reads
 * and computes before it changes anything, or changes things inside a savepoint. What SQLite itself throws, a full disk
 * above all, still rejects the whole group: nothing of it can be relied on.
 */
export async function write<T>(database: Database, work: () => T): Promise<T> {
  const outcome = await database.write((): { readonly value: T } | { readonly bug: unknown } => {
    try {
      return { value: work() };
    } catch (cause) {
      if (isFromSqlite(cause)) throw cause;
      return { bug: cause };
    }
  });
  if ("bug" in outcome) throw outcome.bug;
  return outcome.value;
}

export const isFromSqlite = (cause: unknown) =>
  cause instanceof Error && (cause as NodeJS.ErrnoException).code === "ERR_SQLITE_ERROR";
