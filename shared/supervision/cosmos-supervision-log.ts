// The ledger on Cosmos DB: one partition a day, and entries that the container lets go after their time.
import { randomUUID } from "node:crypto";
import type { Container } from "@azure/cosmos";
import { ExponentialBackoff, handleAll, retry } from "cockatiel";
import { dayOfSweep, type SupervisionEntry, type SupervisionLog } from "./supervision-log.ts";

/** Under a second in all: whoever writes has more important things to do than to wait for the ledger. */
const withRetries = retry(handleAll, {
  maxAttempts: 3,
  backoff: new ExponentialBackoff({ initialDelay: 50, maxDelay: 400 }),
});

const PAGE = 100;

type Stored = SupervisionEntry & { readonly id: string; readonly day: string };

/** @param container its partition key is `/day`; `/at` and `/orderId` are indexed. */
export function createCosmosSupervisionLog(container: Container): SupervisionLog {
  async function put(id: string, day: string, entry: SupervisionEntry): Promise<void> {
    // The id is settled before the first try: a repeat after a lost answer replaces its own document.
    await patiently("write", () => container.items.upsert({ ...entry, id, day }));
  }

  return {
    sweep: (entry) => put(entry.sweepId, dayOfSweep(entry.sweepId), { kind: "sweep", ...entry }),
    decision: (entry) =>
      put(`${entry.sweepId}:${entry.orderId}`, dayOfSweep(entry.sweepId), { kind: "decision", ...entry }),
    operatorAction: (entry) => put(randomUUID(), dayOfSweep(entry.at), { kind: "operatorAction", ...entry }),
    lateReply: (entry) => put(randomUUID(), dayOfSweep(entry.at), { kind: "lateReply", ...entry }),

    async *entries(day, orderId) {
      const ofOrder = orderId === undefined ? "" : " AND c.orderId = @orderId";
      const query = {
        query: `SELECT * FROM c WHERE c.day = @day${ofOrder} ORDER BY c.at`,
        parameters: [
          { name: "@day", value: day },
          ...(orderId === undefined ? [] : [{ name: "@orderId", value: orderId }]),
        ],
      };
      const pages = container.items.query<Stored>(query, { partitionKey: day, maxItemCount: PAGE });
      while (pages.hasMoreResults()) {
        const { resources } = await patiently("read", () => pages.fetchNext());
        yield* resources ?? [];
      }
    },
  };
}

async function patiently<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await withRetries.execute(work);
  } catch (cause) {
    throw new Error(`The ledger can't be ${operation === "read" ? "read" : "written"}: ${String(cause)}`, { cause });
  }
}
