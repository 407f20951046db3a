// An audit log's entry as operators see it: its content, without the members that only the store needs.

import type { LateReply } from "@scheduler-agent-supervisor/core/store";
import type { AuditEntry as Shown, LateReply as ShownLateReply } from "../contract.ts";
import type { StoredAuditEntry } from "../supervision/read-supervision.ts";

export function shownLateReply(entry: LateReply & { readonly id: string }): ShownLateReply {
  const { kind, id, at, jobId, attempt, step, reason } = entry;
  return { kind, id, at, jobId, attempt, step, reason };
}

export function shownEntry(entry: StoredAuditEntry): Shown {
  const { id, at } = entry;
  switch (entry.kind) {
    case "sweep": {
      const { kind, endedAt, leader, epoch, report } = entry;
      return { kind, id, at, endedAt, leader, epoch, report };
    }
    case "decision": {
      const { kind, jobId, epoch, rule, verdict, outcome, fault = null, before, after, stop } = entry;
      return { kind, id, at, jobId, epoch, rule, verdict, outcome, fault, before, after, ...(stop && { stop }) };
    }
    case "operatorAction": {
      const { kind, operator, action, reason, outcome, jobId, message } = entry;
      const letter = message ? `${message.queue}/${message.sequenceNumber}` : null;
      return { kind, id, at, operator, action, reason, outcome, jobId, message: letter };
    }
    case "lateReply":
      return shownLateReply(entry);
    default:
      return entry satisfies never;
  }
}
