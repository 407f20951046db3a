// Supervision for operators: the leader, and the findings and decisions of one day's sweeps, a page at a time.
import type { Container } from "@azure/cosmos";
import { type BlobClient, RestError } from "@azure/storage-blob";
import type {
  DecisionEntry,
  LateReply,
  OperatorAction,
  SweepEntry,
} from "@scheduler-agent-supervisor/core/internal/store/audit-log";

export interface Leader {
  readonly name: string;
  readonly epoch: number;
  /** Null if the leader is a version of the app that does not record it. */
  readonly since: string | null;
  /** False if its lease has expired and no other supervisor has become leader since. */
  readonly leads: boolean;
}

export type SupervisionEntry = (SweepEntry | DecisionEntry | LateReply) & { readonly id: string };

/** The decisions and actions on one job. */
export type AuditEntry = (DecisionEntry | OperatorAction) & { readonly id: string };

/** The newest first. */
export interface JobAudit {
  readonly entries: readonly AuditEntry[];
  /** False where there are more than the limit. */
  readonly isAll: boolean;
  /** The latest ones, apart: however many a service sends, no operator's action leaves the view for them. */
  readonly lateReplies: readonly (LateReply & { readonly id: string })[];
}

/** The end of a page: the next one begins after it. */
export interface SupervisionPosition {
  readonly at: string;
  /** The entries of that same instant that were shown. */
  readonly shown: readonly string[];
}

/** The newest first. `next` is absent on the last page. */
export interface SupervisionPage {
  readonly entries: readonly SupervisionEntry[];
  readonly next?: SupervisionPosition;
}

/** Each throws if blob or store does not answer. */
export interface SupervisionReader {
  /** Null if there has been no leader yet. */
  leader(): Promise<Leader | null>;
  /** @param day `2026-01-31`, UTC */
  page(day: string, limit: number, after?: SupervisionPosition): Promise<SupervisionPage>;
  /** Of all days that are kept: supervisors' decisions, late replies and operators' actions. */
  ofJob(jobId: string, limit: number): Promise<JobAudit>;
}

const NOT_FOUND = 404;
const LATE_REPLIES = 20;

interface AuditLogs {
  readonly supervision: Container;
  readonly audit: Container;
}

/** @param audit logs their partition key is `/day`; `/at` and `/jobId` are indexed: only the shown entries are read, however long the logs are */
export function createSupervisionReader(
  lease: BlobClient,
  { supervision: auditLog, audit }: AuditLogs,
): SupervisionReader {
  async function newest<Entry extends DecisionEntry | OperatorAction | LateReply>(
    from: Container,
    kind: Entry["kind"],
    jobId: string,
    most: number,
  ): Promise<(Entry & { readonly id: string })[]> {
    const query = {
      query: `SELECT TOP ${most} * FROM c WHERE c.jobId = @jobId AND c.kind = @kind ORDER BY c.at DESC`,
      parameters: [
        { name: "@jobId", value: jobId },
        { name: "@kind", value: kind },
      ],
    };
    return (await from.items.query<Entry & { readonly id: string }>(query, { maxItemCount: most }).fetchAll())
      .resources;
  }

  return {
    async leader() {
      try {
        const { metadata = {}, leaseState } = await lease.getProperties();
        if (!metadata["leader"]) return null;
        const { leader, epoch, since = null } = metadata;
        return { name: decodeURIComponent(leader), epoch: Number(epoch), since, leads: leaseState === "leased" };
      } catch (cause) {
        if (cause instanceof RestError && cause.statusCode === NOT_FOUND) return null;
        throw cause;
      }
    },

    async page(day, limit, after) {
      const further = after ? " AND c.at <= @at AND NOT ARRAY_CONTAINS(@shown, c.id)" : "";
      const query = {
        query: `SELECT TOP ${limit + 1} * FROM c WHERE c.day = @day AND c.kind IN ('sweep', 'decision', 'lateReply')${further} ORDER BY c.at DESC`,
        parameters: [
          { name: "@day", value: day },
          ...(after
            ? [
                { name: "@at", value: after.at },
                { name: "@shown", value: [...after.shown] },
              ]
            : []),
        ],
      };
      const pages = auditLog.items.query<SupervisionEntry>(query, { partitionKey: day, maxItemCount: limit + 1 });
      const found = (await pages.fetchAll()).resources;
      const entries = found.slice(0, limit);
      const last = entries.at(-1);
      if (found.length <= limit || !last) return { entries };
      const shown = entries.filter(({ at }) => at === last.at).map(({ id }) => id);
      return { entries, next: { at: last.at, shown: [...(after?.at === last.at ? after.shown : []), ...shown] } };
    },

    async ofJob(jobId, limit) {
      const [decisions, actions, lateReplies] = await Promise.all([
        newest<DecisionEntry>(auditLog, "decision", jobId, limit + 1),
        newest<OperatorAction>(audit, "operatorAction", jobId, limit + 1),
        newest<LateReply>(auditLog, "lateReply", jobId, LATE_REPLIES),
      ]);
      const entries = [...decisions, ...actions].sort((one, other) => other.at.localeCompare(one.at));
      return { entries: entries.slice(0, limit), isAll: entries.length <= limit, lateReplies };
    },
  };
}
