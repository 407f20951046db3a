// Limits the audit log's cost while nothing happens: only few of the sweeps that found nothing are written.
import type { AuditLog } from "../store/audit-log.ts";

const IDLE_EVERY_MS = 10 * 60_000;

/** Writes every sweep that found something, and one that found nothing only if none was written for ten minutes. */
export function spareIdleSweeps(log: AuditLog): AuditLog {
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    ...log,
    async sweep(entry) {
      const at = Date.parse(entry.at);
      const idle = entry.report["found"] === 0 && entry.report["finished"] === true;
      if (idle && at - writtenAt < IDLE_EVERY_MS) return;
      await log.sweep(entry);
      writtenAt = at;
    },
  };
}
