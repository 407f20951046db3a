// Supervision for operators: the leader, and the audit log, a page at a time.
import type { Container } from "@azure/cosmos";
import { type BlobClient, RestError } from "@azure/storage-blob";
import type { ActionEntry, DecisionEntry, LateReply, SupervisionEntry } from "@scheduler-agent-supervisor/core/store";
import { type ListPage, type ListPosition, pageOf } from "../domain/list-page.ts";
import { furtherThan } from "../store/further-than.ts";

interface Leader {
  readonly name: string;
  readonly epoch: number;
  /** Null if the leader is a version of the app that does not record it. */
  readonly since: string | null;
  /** False if its lease has expired and no other supervisor has become leader since. */
  readonly leads: boolean;
  /** Why no supervisor can become leader, and what to do; null if one can. */
  readonly blocked: string | null;
  /** Why its sweeps fail, and since when; null if the last one did not. */
  readonly failing: { readonly since: string; readonly fault: string } | null;
}

/** What supervisors decided, what operators did, and replies that came too late. */
export type StoredAuditEntry = SupervisionEntry & { readonly id: string };

interface Period {
  readonly from: string;
  /** Excluded. */
  readonly to: string;
}

/** The newest first. */
export interface JobAuditPage extends ListPage<StoredAuditEntry> {
  /** The latest ones, on the first page, apart: however many a service sends, no operator's action leaves the view for them. */
  readonly lateReplies: readonly (LateReply & { readonly id: string })[];
}

/** Each throws if blob or store does not answer. */
export interface SupervisionReader {
  /** Null if there has been no leader yet. */
  leader(): Promise<Leader | null>;
  /** The newest first, over all jobs. */
  page(period: Period, limit: number, after?: ListPosition): Promise<ListPage<StoredAuditEntry>>;
  /** Of all days that are kept: supervisors' decisions, late replies and operators' actions. */
  ofJob(jobId: string, limit: number, after?: ListPosition): Promise<JobAuditPage>;
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
  async function newest<Entry extends DecisionEntry | ActionEntry | LateReply>(
    from: Container,
    kind: Entry["kind"],
    jobId: string,
    most: number,
    after?: ListPosition,
  ): Promise<(Entry & { readonly id: string })[]> {
    const further = furtherThan(after);
    const query = {
      query: `SELECT TOP ${most} * FROM c WHERE c.jobId = @jobId AND c.kind = @kind${further.condition} ORDER BY c.at DESC`,
      parameters: [{ name: "@jobId", value: jobId }, { name: "@kind", value: kind }, ...further.parameters],
    };
    return (await from.items.query<Entry & { readonly id: string }>(query, { maxItemCount: most }).fetchAll())
      .resources;
  }

  return {
    async leader() {
      try {
        const { metadata = {}, leaseState, leaseDuration } = await lease.getProperties();
        if (!metadata["leader"]) return null;
        const { leader, epoch, since = null, failing: failingSince, fault = "" } = metadata;
        const failing = failingSince === undefined ? null : { since: failingSince, fault: decodeURIComponent(fault) };
        // A supervisor's own lease ends by itself: one without an end was taken by hand.
        const isForeign = leaseState === "leased" && leaseDuration === "infinite";
        const leads = leaseState === "leased" && !isForeign;
        const blocked = isForeign
          ? `somebody holds the lease of its blob ${lease.name} without an end: break it`
          : null;
        return { name: decodeURIComponent(leader), epoch: Number(epoch), since, leads, blocked, failing };
      } catch (cause) {
        if (cause instanceof RestError && cause.statusCode === NOT_FOUND) return null;
        throw cause;
      }
    },

    async page({ from, to }, limit, after) {
      const further = furtherThan(after);
      const query = {
        query:
          `SELECT TOP ${limit + 1} * FROM c WHERE c.at >= @from AND c.at < @to ` +
          `AND c.kind IN ('sweep', 'decision', 'lateReply', 'operatorAction')${further.condition} ORDER BY c.at DESC`,
        parameters: [{ name: "@from", value: from }, { name: "@to", value: to }, ...further.parameters],
      };
      const logs = [auditLog, audit].map(async (log) => {
        const pages = log.items.query<StoredAuditEntry>(query, { maxItemCount: limit + 1 });
        return (await pages.fetchAll()).resources;
      });
      return pageOf(newestFirst((await Promise.all(logs)).flat()), limit, after);
    },

    async ofJob(jobId, limit, after) {
      const [decisions, actions, lateReplies] = await Promise.all([
        newest<DecisionEntry>(auditLog, "decision", jobId, limit + 1, after),
        newest<ActionEntry>(audit, "operatorAction", jobId, limit + 1, after),
        after ? [] : newest<LateReply>(auditLog, "lateReply", jobId, LATE_REPLIES),
      ]);
      return { ...pageOf(newestFirst([...decisions, ...actions]), limit, after), lateReplies };
    },
  };
}

const newestFirst = (entries: readonly StoredAuditEntry[]): readonly StoredAuditEntry[] =>
  entries.toSorted((one, other) => other.at.localeCompare(one.at));
