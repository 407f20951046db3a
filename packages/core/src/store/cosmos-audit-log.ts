// The audit log on Cosmos DB: one partition for each day. Supervisors' entries expire after their time; operators' actions are in their own
// container, to which the app's identity may only add (infra/app/cosmos-access.bicep).

import { randomUUID } from "node:crypto";
import type { Container, JSONObject, OperationInput } from "@azure/cosmos";
import { ExponentialBackoff, handleAll, retry } from "cockatiel";
import { Outage } from "../domain/outage.ts";
import { inWords } from "../domain/thrown.ts";
import { type AuditLog, type DecisionEntry, dayOfSweep, lateReplyId, type SupervisionEntry } from "./audit-log.ts";
import { BatchRejected, isTransient, rejectionOf, WITHOUT_DOCUMENTS } from "./cosmos-answers.ts";

/** Less than a second in total: the writer must not wait long for the audit log. */
const withRetries = retry(handleAll, {
  maxAttempts: 3,
  backoff: new ExponentialBackoff({ initialDelay: 50, maxDelay: 400 }),
});

const PAGE = 100;

type Stored = SupervisionEntry & { readonly id: string; readonly day: string };

/** A document with that id exists: this same entry, whose first try was answered too late. */
const CONFLICT = 409;

/** Of both the partition key is `/day`; `/at` and `/jobId` are indexed. */
export interface AuditLogContainers {
  readonly supervision: Container;
  readonly audit: Container;
}

export function createCosmosAuditLog({ supervision: container, audit }: AuditLogContainers): AuditLog {
  async function put(id: string, day: string, entry: SupervisionEntry): Promise<void> {
    // The id is chosen before the first try: a repeat after a lost answer replaces its own document.
    await patiently("write", () => container.items.upsert({ ...entry, id, day }));
  }

  async function add(entry: SupervisionEntry & { readonly at: string }): Promise<void> {
    const document = { ...entry, id: randomUUID(), day: dayOfSweep(entry.at) };
    await patiently("write", async () => {
      try {
        await audit.items.create(document);
      } catch (cause) {
        if ((cause as { code?: unknown }).code !== CONFLICT) throw cause;
      }
    });
  }

  /** All of one sweep, so of one day: one request. */
  async function decisions(entries: readonly Omit<DecisionEntry, "kind">[]): Promise<void> {
    const [first] = entries;
    if (!first) return;
    const day = dayOfSweep(first.sweepId);
    const operations = entries.map((entry): OperationInput => {
      const document: Stored = { ...entry, kind: "decision", id: `${entry.sweepId}:${entry.jobId}`, day };
      return { operationType: "Upsert", resourceBody: document as unknown as JSONObject };
    });
    await patiently("write", async () => {
      const { result, code } = await container.items.batch(operations, day, WITHOUT_DOCUMENTS);
      const rejection = rejectionOf(result);
      if (rejection !== undefined || !result) throw new BatchRejected(rejection ?? { statusCode: code ?? 500 });
    });
  }

  async function* read(from: Container, day: string, jobId?: string): AsyncGenerator<SupervisionEntry> {
    const ofJob = jobId === undefined ? "" : " AND c.jobId = @jobId";
    const query = {
      query: `SELECT * FROM c WHERE c.day = @day${ofJob} ORDER BY c.at`,
      parameters: [{ name: "@day", value: day }, ...(jobId === undefined ? [] : [{ name: "@jobId", value: jobId }])],
    };
    const pages = from.items.query<Stored>(query, { partitionKey: day, maxItemCount: PAGE });
    while (pages.hasMoreResults()) {
      const { resources } = await patiently("read", () => pages.fetchNext());
      yield* resources ?? [];
    }
  }

  return {
    sweep: (entry) => put(entry.sweepId, dayOfSweep(entry.sweepId), { kind: "sweep", ...entry }),
    decisions,
    operatorAction: (entry) => add({ kind: "operatorAction", ...entry }),
    lateReply: (entry) => put(lateReplyId(entry), dayOfSweep(entry.at), { kind: "lateReply", ...entry }),
    entries: (day, jobId) => merged(read(container, day, jobId), read(audit, day, jobId)),
  };
}

/** Merges two ordered lists. */
async function* merged(
  one: AsyncGenerator<SupervisionEntry>,
  other: AsyncGenerator<SupervisionEntry>,
): AsyncGenerator<SupervisionEntry> {
  let [left, right] = await Promise.all([one.next(), other.next()]);
  while (!left.done || !right.done) {
    if (right.done || (!left.done && left.value.at <= right.value.at)) {
      yield left.value as SupervisionEntry;
      left = await one.next();
    } else {
      yield right.value;
      right = await other.next();
    }
  }
}

async function patiently<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await withRetries.execute(work);
  } catch (cause) {
    const Kind = isTransient(cause) ? Outage : Error;
    throw new Kind(`The audit log can't be ${operation === "read" ? "read" : "written"}: ${inWords(cause)}`, { cause });
  }
}
