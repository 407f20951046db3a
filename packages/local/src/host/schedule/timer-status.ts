// Remembers when each timer last ran, over restarts, so that a run missed while the host was down is caught up.
import type { Database } from "../../database/database.ts";

export interface TimerStatus {
  /** The occurrence that ran last; undefined before the first run. */
  readonly last: Date | undefined;
  readonly next: Date;
  readonly updatedAt: Date;
}

export interface TimerStatuses {
  read(functionName: string): TimerStatus | undefined;
  write(functionName: string, status: TimerStatus): Promise<void>;
}

export function timerStatuses(database: Database): TimerStatuses {
  database.exec(`CREATE TABLE IF NOT EXISTS timer (
    function TEXT PRIMARY KEY, last INTEGER, next INTEGER NOT NULL, updated INTEGER NOT NULL
  ) STRICT`);
  return {
    read(functionName) {
      const row = database.prepare("SELECT last, next, updated FROM timer WHERE function = ?").get(functionName);
      if (!row) return undefined;
      const { last, next, updated } = row;
      return {
        last: last === null ? undefined : new Date(Number(last)),
        next: new Date(Number(next)),
        updatedAt: new Date(Number(updated)),
      };
    },
    async write(functionName, { last, next, updatedAt }) {
      await database.write(() =>
        database
          .prepare("INSERT OR REPLACE INTO timer (function, last, next, updated) VALUES (?, ?, ?, ?)")
          .run(functionName, last?.getTime() ?? null, next.getTime(), updatedAt.getTime()),
      );
    },
  };
}
