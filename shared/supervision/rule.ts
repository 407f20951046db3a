// Why a record gets its verdict, in words: what the ledger keeps and the what-if shows.
import { overdueStep, type Verdict } from "../domain/recovery.ts";
import type { StateRecord } from "../domain/state-record.ts";
import type { RecoveryPolicy } from "../domain/workflow.ts";
import type { Standpoint } from "./supervision-log.ts";

export function ruleInWords(record: StateRecord, verdict: Verdict, policy: RecoveryPolicy): string {
  const { direction, completeBy, dueAt, notices, processState } = record;
  switch (verdict.kind) {
    case "wake":
      return `Pending and not claimed by ${dueAt}: the scheduler is told again, no failure is counted`;
    case "reschedule":
      return `Processing, and no agent took up ${overdueStep(record)} in time: scheduled again, no failure is counted`;
    case "hold":
      return `Processing, and ${overdueStep(record)} met a wrong address or credential: tried again in ${verdict.waitMs / 1000} s, no failure is counted`;
    case "later":
      return `Processing, and a step of it has time until ${verdict.at}`;
    case "tell":
      return `${processState}, with ${notices.length} notices not known to be sent`;
    case "retry":
      return `${expired(verdict.failureCount)}, below the threshold of ${policy.failureThreshold}`;
    case "wait": {
      const pause = verdict.failureCount - policy.failureThreshold + 1;
      return `${expired(verdict.failureCount)}, at the threshold of ${policy.failureThreshold} or above: pause ${pause} of ${policy.waits.length}, ${verdict.waitMs / 1000} s`;
    }
    case "undo":
    case "fail": {
      const used = policy.waits.length > 0 ? ` and ${policy.waits.length} pauses used up` : "";
      const then = direction === "undo" ? "an undo is not undone in turn" : `the policy says ${verdict.kind}`;
      return `${expired(verdict.failureCount)}, at the threshold of ${policy.failureThreshold} or above${used}: ${then}`;
    }
    default:
      return verdict satisfies never;
  }

  function expired(failureCount: number): string {
    return `Processing past its complete-by ${completeBy}: failure ${failureCount}`;
  }
}

export function standpointOf(record: StateRecord): Standpoint {
  const { processState, attempt, failureCount } = record;
  return { processState, attempt, failureCount, step: overdueStep(record) ?? null };
}
