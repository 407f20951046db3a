// The state store on Cosmos DB: one partition an order, with the order and its state record in it.
import type { Container, OperationInput, OperationResponse, PatchOperation, SqlQuerySpec } from "@azure/cosmos";
import { ConstantBackoff, ExponentialBackoff, handleWhen, retry, wrap } from "cockatiel";
import { NewerSchema } from "../domain/newer-schema.ts";
import type { Noun } from "../domain/noun.ts";
import type { Order } from "../domain/order.ts";
import { RECORD_VERSION, type StateRecord } from "../domain/state-record.ts";
import type { GuardedWrite, Lifetime } from "../domain/transitions.ts";
import {
  BatchRejected,
  CONFLICT,
  FORBIDDEN,
  isTransient,
  NOT_FOUND,
  PRECONDITION_FAILED,
  rejectionOf,
  statusOf,
} from "./cosmos-answers.ts";
import {
  contentId,
  contentOperation,
  erasingOperations,
  FIRST_REVISION,
  lifetimeOperations,
  STATE_ID,
  ttlOf,
} from "./cosmos-documents.ts";
import { documentPath } from "./document-path.ts";
import { conditionOf, operationOf } from "./guarded-patch.ts";
import { createOrderCache, keep } from "./order-cache.ts";
import { type Listed, type OrderQuery, pageOf, scannedPage } from "./order-list.ts";
import { countQuery, isIndexed, listQuery, spanOf } from "./order-query.ts";
import { scanOrders, type Window } from "./order-scan.ts";
import {
  type ClosingStore,
  type Created,
  type OrderStore,
  OVER,
  StoreUnavailable,
  type Versioned,
  type Written,
} from "./order-store.ts";
import { type Document, orderOf, recordOf, versionOf } from "./record-versions.ts";

/** As many orders as are likely to be under way in one process. */
const CACHED_ORDERS = 5000;
const RECORDS_PAGE = 100;
/** A page of a search that no index answers reads so many records: some hundred request units. */
const MOST_LOOKED = 1000;
/** The record is gone, or not as it has to be. */
const REJECTIONS: ReadonlySet<number | undefined> = new Set([NOT_FOUND, CONFLICT, PRECONDITION_FAILED]);

/** About 10 s in all: a restart of the store passes unnoticed, a longer outage ends the attempt. */
const throughOutage = retry(handleWhen(isTransient), {
  maxAttempts: 8,
  backoff: new ExponentialBackoff({ initialDelay: 100, maxDelay: 3000 }),
});

/**
 * A role takes minutes to hold after it was given, and until then the answer is 403: 4 minutes in all, below the functions' time,
 * so that a message outlasts it by being delivered again.
 */
const untilRolesHold = (pauseMs: number) =>
  retry(
    handleWhen((cause) => statusOf(cause) === FORBIDDEN),
    {
      maxAttempts: 24,
      backoff: new ConstantBackoff(pauseMs),
    },
  );

export interface CosmosStoreOptions {
  /** Whether roles may just have been given: a 403 then is worth waiting for. */
  readonly rolesAreNew?: () => boolean;
  readonly rolePauseMs?: number;
  /** A newer app's record was met, and left alone. */
  readonly onNewer?: (orderId: string, cause: NewerSchema) => void;
}

interface StatePatch {
  readonly condition: string;
  readonly operations: readonly PatchOperation[];
}

type Stored = StateRecord & { readonly id: string; readonly _etag: string };
/** Of any version. */
type StoredDocument = Document & { readonly orderId: string; readonly _etag: string };

export interface OrdersContainer {
  /** In the core's names: see named-container.ts. Its partition key is the order's id. */
  readonly container: Container;
  /** The app's, by which the documents with content are called. */
  readonly noun: Noun;
}

export function createCosmosOrderStore(
  { container, noun }: OrdersContainer,
  { rolesAreNew = () => false, rolePauseMs = 10_000, onNewer = () => {} }: CosmosStoreOptions = {},
): OrderStore & ClosingStore {
  const withPatience = wrap(untilRolesHold(rolePauseMs), throughOutage);

  async function patiently<T>(operation: string, work: () => Promise<T>): Promise<T> {
    try {
      return await (rolesAreNew() ? withPatience : throughOutage).execute(work);
    } catch (cause) {
      throw new StoreUnavailable(operation, cause);
    }
  }

  const cache = createOrderCache(CACHED_ORDERS);
  /** Records seen in today's version: none goes back, so a rejected change of one is not the version's. */
  const current = new Map<string, true>();
  const seenCurrent = (orderId: string) => keep(current, CACHED_ORDERS, orderId, true);

  async function readOrder(orderId: string, revision: number): Promise<Order> {
    const { resource } = await patiently("read an order", () =>
      container.item(contentId(revision, noun), orderId).read<Document & { order: Order }>(),
    );
    if (!resource) throw new Error(`There is no order ${orderId}, revision ${revision}.`);
    return orderOf(resource);
  }

  async function readDocument(orderId: string): Promise<StoredDocument | undefined> {
    const read = () => container.item(STATE_ID, orderId).read<StoredDocument>();
    return (await patiently("read a state record", read)).resource;
  }

  async function readState(orderId: string): Promise<Versioned | undefined> {
    const document = await readDocument(orderId);
    return document && opened(document);
  }

  function opened(document: StoredDocument): Versioned {
    try {
      const record = recordOf(document);
      if (versionOf(document) === RECORD_VERSION) seenCurrent(record.orderId);
      return { record, etag: document._etag };
    } catch (cause) {
      if (cause instanceof NewerSchema) onNewer(document.orderId, cause);
      throw cause;
    }
  }

  /** All of it or nothing. @throws BatchRejected */
  async function batch(orderId: string, operations: OperationInput[]): Promise<OperationResponse[]> {
    const { result, code } = await container.items.batch(operations, orderId);
    const rejection = rejectionOf(result);
    if (rejection !== undefined || !result) throw new BatchRejected(rejection ?? code ?? 500);
    return result;
  }

  async function patchState(orderId: string, { guard, changes, lifetime }: GuardedWrite): Promise<Written> {
    const patch = { condition: conditionOf(guard), operations: changes.map(operationOf) };
    if (lifetime) return patchAll(orderId, patch, lifetime);
    return patiently("change a state record", () =>
      unlessRejected(async () => (await container.item(STATE_ID, orderId).patch<Stored>(patch)).resource),
    );
  }

  /** The record, and the time to live of every document of the order: it runs from this one write, so that they go together. */
  async function patchAll(
    orderId: string,
    { condition, operations }: StatePatch,
    lifetime: Lifetime,
  ): Promise<Written> {
    const resourceBody = { condition, operations: [...operations, ttlOf(lifetime)] };
    const state: OperationInput = { operationType: "Patch", id: STATE_ID, resourceBody };
    const written = await patiently("change an order's documents", () =>
      unlessRejected(async () => stateIn(await batch(orderId, [state, ...lifetimeOperations(lifetime, noun)]))),
    );
    if (written.kind === "written") cache.forget(orderId, lifetime.revisions);
    return written;
  }

  async function replaceState(etag: string, record: StateRecord): Promise<Written> {
    const accessCondition = { type: "IfMatch", condition: etag };
    return patiently("replace a state record", () =>
      unlessRejected(
        async () =>
          (
            await container
              .item(STATE_ID, record.orderId)
              .replace<{ id: string } & StateRecord>({ id: STATE_ID, ...record }, { accessCondition })
          ).resource as Stored | undefined,
      ),
    );
  }

  /** False where the record is of today's version. */
  async function upgraded(orderId: string): Promise<boolean> {
    if (current.has(orderId)) return false;
    const document = await readDocument(orderId);
    // One that is closed keeps the time that all of its documents have.
    if (!document || document["keptUntil"]) return false;
    const { record, etag } = opened(document);
    if (versionOf(document) === RECORD_VERSION) return false;
    // Rejected, somebody else has changed it: the write that follows finds out.
    await replaceState(etag, record);
    return true;
  }

  async function* records(operation: string, condition: string, instant: string): AsyncGenerator<Versioned> {
    const query = {
      query: `SELECT * FROM c WHERE ${condition}`,
      parameters: [{ name: "@instant", value: instant }],
    };
    const pages = container.items.query<StoredDocument>(query, { maxItemCount: RECORDS_PAGE });
    while (pages.hasMoreResults()) {
      const { resources } = await patiently(operation, () => pages.fetchNext());
      for (const document of resources ?? []) {
        if (versionOf(document) <= RECORD_VERSION) yield opened(document);
        else onNewer(document.orderId, new NewerSchema("A record that is due", versionOf(document), RECORD_VERSION));
      }
    }
  }

  async function count(condition: string, values: Readonly<Record<string, string>>): Promise<number> {
    const parameters = Object.entries(values).map(([name, value]) => ({ name: `@${name}`, value }));
    return counted("count", { query: `SELECT VALUE COUNT(1) FROM c WHERE ${condition}`, parameters });
  }

  async function counted(operation: string, query: SqlQuerySpec): Promise<number> {
    const { resources } = await patiently(operation, () => container.items.query<number>(query).fetchAll());
    return resources[0] ?? 0;
  }

  async function listed(query: OrderQuery, most: number, window?: Window): Promise<Listed[]> {
    const pages = container.items.query<Listed>(listQuery(query, window), { maxItemCount: most });
    const found: Listed[] = [];
    while (found.length < most && pages.hasMoreResults()) {
      const { resources } = await patiently("list orders", () => pages.fetchNext());
      found.push(...(resources ?? []));
    }
    return found;
  }

  return {
    async create(order, record): Promise<Created> {
      const { orderId } = record;
      const created = await patiently("record an order", async () => {
        try {
          const state = { operationType: "Create", resourceBody: { id: STATE_ID, ...record } };
          await batch(orderId, [
            contentOperation(record, order, FIRST_REVISION, noun),
            state as unknown as OperationInput,
          ]);
          return true;
        } catch (cause) {
          if (statusOf(cause) === CONFLICT) return false;
          throw cause;
        }
      });
      if (created) {
        seenCurrent(orderId);
        cache.put(orderId, order, FIRST_REVISION);
        return { kind: "created" };
      }
      const [known, state] = await Promise.all([readOrder(orderId, FIRST_REVISION), readState(orderId)]);
      if (!state) throw new Error(`Order ${orderId} has no state record.`);
      return { kind: "duplicate", order: known, record: state.record };
    },

    order: (orderId, revision) => cache.get(orderId, revision, readOrder),
    state: readState,

    /** A change is of today's version, and a record of another one rejects it: a mixture could not be distinguished from either. */
    async change(orderId, write): Promise<Written> {
      const written = await patchState(orderId, write);
      if (written.kind === "written") seenCurrent(orderId);
      if (written.kind === "written" || !(await upgraded(orderId))) return written;
      return patchState(orderId, write);
    },

    replace: ({ etag }, record) => replaceState(etag, record),

    async revise(read, record, order): Promise<Written> {
      const { orderId, orderRevision } = record;
      // One that was closed is open again: none of its documents goes.
      const lifetime = read.record.keptUntil ? { revisions: orderRevision - 1, keepMs: null, secrets: [] } : undefined;
      const resourceBody = { id: STATE_ID, ...record, ...(lifetime && { ttl: ttlOf(lifetime).value }) };
      const state = { operationType: "Replace", id: STATE_ID, ifMatch: read.etag, resourceBody };
      const operations = [
        state as unknown as OperationInput,
        contentOperation(record, order, orderRevision, noun),
        ...(lifetime ? lifetimeOperations(lifetime, noun) : []),
      ];
      const written = await patiently("revise an order", () =>
        // Where somebody else stored this revision, the record is not at the version read either.
        unlessRejected(async () => stateIn(await batch(orderId, operations))),
      );
      if (written.kind === "written") cache.put(orderId, order, orderRevision);
      return written;
    },

    async list(query) {
      const most = query.limit + 1;
      if (isIndexed(query)) return pageOf(await listed(query, most), query);
      const scanned = await scanOrders<Listed>(spanOf(query, Date.now()), most, MOST_LOOKED, {
        count: (window) => counted("look for orders", countQuery(query, window)),
        read: (window, wanted) => listed(query, wanted, window),
      });
      return scannedPage(scanned, query);
    },

    async countInFlight(instant, overdueSince, dueBefore) {
      const inFlight = "c.processState = 'Processing' AND c.dueAt >= @overdueSince AND c.dueAt < @dueBefore";
      const [held, waiting] = await Promise.all([
        count(inFlight, { overdueSince, dueBefore }),
        // Once an agent is known to be at work, both are the same.
        count(`${inFlight} AND c.dueAt < @instant AND c.completeBy < c.dueAt`, { overdueSince, dueBefore, instant }),
      ]);
      return { held, waiting };
    },

    due: (instant) => records("find what is due", "c.dueAt < @instant ORDER BY c.dueAt", instant),

    over: (state, instant) => {
      const over = documentPath(OVER[state]);
      return records("find what is over", `${over} < @instant ORDER BY ${over}`, instant);
    },

    async erase({ record: { orderId, orderRevision }, etag }) {
      const erased = await patiently("erase an order", async () => {
        try {
          await batch(orderId, erasingOperations(etag, orderRevision, noun));
          return "erased";
        } catch (cause) {
          if (REJECTIONS.has(statusOf(cause))) return "rejected";
          throw cause;
        }
      });
      cache.forget(orderId, orderRevision);
      return erased;
    },

    async close({ etag }, record, lifetime) {
      const { orderId } = record;
      const resourceBody = { id: STATE_ID, ...record, ttl: ttlOf(lifetime).value };
      const state = { operationType: "Replace", id: STATE_ID, ifMatch: etag, resourceBody };
      const operations = [state as unknown as OperationInput, ...lifetimeOperations(lifetime, noun)];
      const written = await patiently("close an order", () =>
        unlessRejected(async () => stateIn(await batch(orderId, operations))),
      );
      if (written.kind === "written") cache.forget(orderId, lifetime.revisions);
      return written;
    },
  };
}

async function unlessRejected(write: () => Promise<Stored | undefined>): Promise<Written> {
  try {
    const stored = await write();
    if (!stored) throw new Error("the store's answer holds no record");
    return { kind: "written", ...versioned(stored) };
  } catch (cause) {
    if (REJECTIONS.has(statusOf(cause))) return { kind: "rejected" };
    throw cause;
  }
}

/** The record is the first of each batch. */
function stateIn([state]: readonly OperationResponse[]): Stored | undefined {
  return state?.resourceBody as unknown as Stored | undefined;
}

function versioned(stored: Stored): Versioned {
  return { record: stored, etag: stored._etag };
}
