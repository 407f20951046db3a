// Counts requests to storage by Azurite's access log: what an order costs there.

export type Operation = "queue get" | "queue put" | "queue delete" | "table read" | "table write" | "other";
export type StorageCounts = Readonly<Record<Operation, number>>;

/** Common log format: the request in quotes, then the status. */
const REQUEST = /"([A-Z]+) (\S+) HTTP\/[\d.]+" \d+ /;
/** A queue's messages, which no blob or table has: `/account/queue/messages` and below. */
const MESSAGES = /^\/[^/]+\/[^/]+\/messages(\/[^/?]+)?(?:\?|$)/;
/** `/account/$batch`, `/account/Tables`, `/account/Table(PartitionKey='…',RowKey='…')` and `/account/Table?$filter=…`. */
const TABLE = /^\/[^/]+\/(?:\$batch|Tables\b|[A-Za-z0-9]+\([^/]*\)|[A-Za-z0-9]+\?\$filter=)/;

/** Undefined for a line that is about no request. */
export function operationOf(line: string): Operation | undefined {
  const [, method, target] = REQUEST.exec(line) ?? [];
  if (!method || !target) return undefined;
  const messages = MESSAGES.exec(target);
  if (messages) return queueOperation(method, messages[1] !== undefined);
  if (TABLE.test(target)) return method === "GET" ? "table read" : "table write";
  return "other";
}

function queueOperation(method: string, ofOneMessage: boolean): Operation {
  if (method === "GET") return "queue get";
  if (method === "POST") return "queue put";
  return method === "DELETE" && ofOneMessage ? "queue delete" : "other";
}

export class StorageLog {
  readonly #counts: Record<Operation, number> = {
    "queue get": 0,
    "queue put": 0,
    "queue delete": 0,
    "table read": 0,
    "table write": 0,
    other: 0,
  };

  take(line: string): void {
    const operation = operationOf(line);
    if (operation) this.#counts[operation] += 1;
  }

  get counts(): StorageCounts {
    return { ...this.#counts };
  }
}

export function total(counts: StorageCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** What came after `before`, by operation. */
export function lessOf(counts: StorageCounts, before: StorageCounts): StorageCounts {
  const entries = Object.entries(counts).map(([name, count]) => [name, count - before[name as Operation]]);
  return Object.fromEntries(entries) as StorageCounts;
}
