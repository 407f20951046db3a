// Writes a sweep's decisions to the audit log beside the sweep, several in one request: a slow log does not slow the recovery.
import { type AuditLog, type DecisionEntry, MOST_DECISIONS } from "../store/audit-log.ts";

type Decision = Omit<DecisionEntry, "kind">;

export interface DecisionWriter {
  /** Does not wait for the write. */
  add(decision: Decision): void;
  /** Resolves when all are written, or could not be. */
  end(): Promise<void>;
}

/**
 * One request at a time, with all decisions since the one before. If the process dies, the decisions that are not written are in the records'
 * own histories.
 * @param write it never rejects
 */
export function createDecisionWriter(write: (work: (log: AuditLog) => Promise<void>) => Promise<void>): DecisionWriter {
  let pending: Decision[] = [];
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    while (pending.length > 0) {
      const next = pending.slice(0, MOST_DECISIONS);
      pending = pending.slice(MOST_DECISIONS);
      await write((log) => log.decisions(next));
    }
    writing = undefined;
  }

  return {
    add(decision) {
      pending.push(decision);
      writing ??= writeAll();
    },
    async end() {
      await writing;
    },
  };
}
