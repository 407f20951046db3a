// The entries of the audit logs between two instants, the newest first: what operators did, and what supervisors decided.
import type { Container, JSONValue } from "@azure/cosmos";
import type { DecisionEntry, OperatorAction } from "@scheduler-agent-supervisor/core/store";

export type ShiftAction = Pick<
  OperatorAction,
  "at" | "operator" | "action" | "jobId" | "reason" | "outcome" | "message"
>;
export type ShiftDecision = Pick<DecisionEntry, "at" | "sweepId" | "jobId" | "verdict" | "rule" | "outcome" | "stop">;

export interface Period {
  readonly from: string;
  /** Excluded. */
  readonly to: string;
}

/** Each reads at most `limit` of the newest. Throws if the store does not answer. */
export interface ShiftEntries {
  actions(period: Period, limit: number): Promise<readonly ShiftAction[]>;
  decisions(period: Period, limit: number): Promise<readonly ShiftDecision[]>;
}

const ACTION = ["at", "operator", "action", "jobId", "reason", "outcome", "message"];
const DECISION = ["at", "sweepId", "jobId", "verdict", "rule", "outcome", "stop"];

interface AuditLogs {
  readonly supervision: Container;
  readonly audit: Container;
}

/** @param logs their partition key is `/day`, and `/at` is indexed */
export function createShiftEntries({ supervision, audit }: AuditLogs): ShiftEntries {
  async function newest<T>(from: Container, kind: string, members: string[], period: Period, limit: number) {
    const query = {
      query:
        `SELECT TOP ${limit} ${members.map((member) => `c.${member}`).join(", ")} FROM c WHERE ARRAY_CONTAINS(@days, c.day) ` +
        "AND c.kind = @kind AND c.at >= @from AND c.at < @to ORDER BY c.at DESC",
      parameters: [
        { name: "@days", value: daysOf(period) as JSONValue },
        { name: "@kind", value: kind },
        { name: "@from", value: period.from },
        { name: "@to", value: period.to },
      ],
    };
    return (await from.items.query<T>(query, { maxItemCount: limit }).fetchAll()).resources;
  }

  return {
    actions: (period, limit) => newest<ShiftAction>(audit, "operatorAction", ACTION, period, limit),
    decisions: (period, limit) => newest<ShiftDecision>(supervision, "decision", DECISION, period, limit),
  };
}

const DAY_MS = 86_400_000;

/** Decisions after midnight are in the day of their sweep: so the day before is one of them. */
function daysOf({ from, to }: Period): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from) - DAY_MS; at < Date.parse(to) + DAY_MS; at += DAY_MS) days.push(dayOf(at));
  return [...new Set(days)].filter((day) => day <= dayOf(Date.parse(to)));
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, "2026-01-31".length);
