// The audit log in memory: for tests of everything that uses the port.
import { type AuditLog, dayOfSweep, lateReplyId, type SupervisionEntry } from "@scheduler-agent-supervisor/core/store";

export function createMemoryAuditLog(): AuditLog {
  const kept = new Map<string, { day: string; entry: SupervisionEntry }>();
  let made = 0;

  function put(entry: SupervisionEntry): void {
    made += 1;
    const sweepId = "sweepId" in entry ? entry.sweepId : undefined;
    kept.set(idOf(entry), { day: dayOfSweep(sweepId ?? entry.at), entry: structuredClone(entry) });
  }

  function idOf(entry: SupervisionEntry): string {
    switch (entry.kind) {
      case "sweep":
        return entry.sweepId;
      case "decision":
        return `${entry.sweepId}:${entry.jobId}`;
      case "lateReply":
        return lateReplyId(entry);
      case "operatorAction":
        return String(made);
      default:
        return entry satisfies never;
    }
  }

  return {
    sweep: async (entry) => put({ kind: "sweep", ...entry }),
    async decisions(entries) {
      for (const entry of entries) put({ kind: "decision", ...entry });
    },
    operatorAction: async (entry) => put({ kind: "operatorAction", ...entry }),
    lateReply: async (entry) => put({ kind: "lateReply", ...entry }),
    async *entries(day, jobId) {
      const found = [...kept.values()]
        .filter((one) => one.day === day)
        .map(({ entry }) => entry)
        .filter((entry) => jobId === undefined || ("jobId" in entry && entry.jobId === jobId));
      yield* structuredClone(found.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at))));
    },
  };
}
