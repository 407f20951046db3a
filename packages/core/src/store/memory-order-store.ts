// The state store in memory, with the same conditional semantics: for tests of everything that stands on the port.
import { applyChanges, holds } from "../domain/apply-changes.ts";
import { NewerSchema } from "../domain/newer-schema.ts";
import { type Order, withoutSecrets } from "../domain/order.ts";
import { RECORD_VERSION, type StateRecord } from "../domain/state-record.ts";
import type { Lifetime } from "../domain/transitions.ts";
import { listedOf, pageOf } from "./order-list.ts";
import { isListed } from "./order-query.ts";
import { type ClosingStore, type OrderStore, OVER, type Versioned, type Written } from "./order-store.ts";
import { type Document, recordOf } from "./record-versions.ts";

const FIRST_REVISION = 1;
const orderKey = (orderId: string, revision: number) => `${orderId}#${revision}`;

export interface MemoryStoreOptions {
  /** What stands in the store from the start, of any version. */
  readonly documents?: readonly Document[];
  /** A newer app's record was met, and left alone. */
  readonly onNewer?: (orderId: string, cause: NewerSchema) => void;
}

export interface MemoryOrderStore extends OrderStore, ClosingStore {
  /** A record as it stands there, of any version. */
  stored(orderId: string): Document | undefined;
}

export function createMemoryOrderStore(options: MemoryStoreOptions = {}): MemoryOrderStore {
  const { documents = [], onNewer = () => {} } = options;
  const orders = new Map<string, Order>();
  const states = new Map<string, { readonly record: Document; readonly etag: string }>();
  let version = 0;
  for (const record of documents) {
    version += 1;
    states.set(String(record["orderId"]), { record, etag: String(version) });
  }

  /** A newer one as it stands: nothing but its head is looked at. */
  const inTodaysWords = (record: StateRecord): StateRecord =>
    record.schemaVersion > RECORD_VERSION ? record : recordOf({ ...record });

  function opened(orderId: string): Versioned | undefined {
    const stored = structuredClone(states.get(orderId));
    try {
      return stored && { ...stored, record: recordOf(stored.record) };
    } catch (cause) {
      if (cause instanceof NewerSchema) onNewer(orderId, cause);
      throw cause;
    }
  }

  /** What a query finds, as it is stored. */
  const found = () => [...states.values()].map(({ record }) => record as unknown as StateRecord);

  function put(record: StateRecord): Written {
    version += 1;
    states.set(record.orderId, { record: structuredClone(record) as unknown as Document, etag: String(version) });
    return { kind: "written", record: structuredClone(record), etag: String(version) };
  }

  /** Nothing goes here with time: only what stands in the content changes. */
  function keepContent(orderId: string, { revisions, keepMs, secrets }: Lifetime): void {
    for (let revision = FIRST_REVISION; keepMs !== null && revision <= revisions; revision += 1) {
      const order = orders.get(orderKey(orderId, revision));
      if (order) orders.set(orderKey(orderId, revision), withoutSecrets(order, secrets));
    }
  }

  return {
    async create(order, record) {
      const known = orders.get(orderKey(record.orderId, FIRST_REVISION));
      const state = opened(record.orderId);
      if (known && state) return { kind: "duplicate", order: known, record: state.record };
      orders.set(orderKey(record.orderId, FIRST_REVISION), structuredClone(order));
      put(record);
      return { kind: "created" };
    },
    async order(orderId, revision) {
      const order = orders.get(orderKey(orderId, revision));
      if (!order) throw new Error(`no order ${orderId}, revision ${revision}`);
      return structuredClone(order);
    },
    stored: (orderId) => structuredClone(states.get(orderId)?.record),
    async state(orderId) {
      return opened(orderId);
    },
    async change(orderId, { guard, changes, lifetime }) {
      const state = opened(orderId);
      if (!state || !holds(guard, state.record)) return { kind: "rejected" };
      if (lifetime) keepContent(orderId, lifetime);
      return put(applyChanges(state.record, changes));
    },
    async replace(read, record) {
      return states.get(record.orderId)?.etag === read.etag ? put(record) : { kind: "rejected" };
    },
    async revise(read, record, order) {
      const key = orderKey(record.orderId, record.orderRevision);
      if (orders.has(key) || states.get(record.orderId)?.etag !== read.etag) return { kind: "rejected" };
      orders.set(key, structuredClone(order));
      return put(record);
    },
    async *over(state, instant) {
      const since = (record: StateRecord) => record[OVER[state]] ?? undefined;
      const over = found().filter((record) => (since(record) ?? instant) < instant);
      over.sort((one, other) => ((since(one) ?? "") < (since(other) ?? "") ? -1 : 1));
      yield* over.flatMap(({ orderId }) => opened(orderId) ?? []);
    },
    async close(read, record, lifetime) {
      if (states.get(record.orderId)?.etag !== read.etag) return { kind: "rejected" };
      keepContent(record.orderId, lifetime);
      return put(record);
    },
    async erase({ record: { orderId, orderRevision }, etag }) {
      if (states.get(orderId)?.etag !== etag) return "rejected";
      states.delete(orderId);
      for (let revision = FIRST_REVISION; revision <= orderRevision; revision += 1) {
        orders.delete(orderKey(orderId, revision));
      }
      return "erased";
    },
    async list(query) {
      const listed = found().filter((record) => isListed(inTodaysWords(record), query));
      listed.sort((one, other) => (one.createdAt > other.createdAt ? -1 : 1));
      return pageOf(structuredClone(listed.map(listedOf)), query);
    },
    async countInFlight(instant, overdueSince, dueBefore) {
      const isCounted = (dueAt = "") => dueAt >= overdueSince && dueAt < dueBefore;
      const held = found().filter(({ processState, dueAt }) => processState === "Processing" && isCounted(dueAt));
      const waiting = held.filter(({ dueAt, completeBy }) => {
        return dueAt !== undefined && completeBy !== null && dueAt < instant && completeBy < dueAt;
      });
      return { held: held.length, waiting: waiting.length };
    },
    async *due(instant) {
      const due = found().filter(({ dueAt }) => dueAt !== undefined && dueAt < instant);
      due.sort((one, other) => ((one.dueAt ?? "") < (other.dueAt ?? "") ? -1 : 1));
      yield* due.flatMap(({ orderId, schemaVersion }) => {
        if (!(schemaVersion > RECORD_VERSION)) return opened(orderId) ?? [];
        onNewer(orderId, new NewerSchema("A record that is due", schemaVersion, RECORD_VERSION));
        return [];
      });
    },
  };
}
