// The state store in memory, with the same conditional semantics: for tests of everything that stands on the port.
import { applyChanges, holds } from "../domain/apply-changes.ts";
import type { Order } from "../domain/order.ts";
import type { StateRecord } from "../domain/state-record.ts";
import { isListed, listedOf, pageOf } from "./order-list.ts";
import type { OrderStore, Versioned, Written } from "./order-store.ts";

const FIRST_REVISION = 1;
const orderKey = (orderId: string, revision: number) => `${orderId}#${revision}`;

export function createMemoryOrderStore(): OrderStore {
  const orders = new Map<string, Order>();
  const states = new Map<string, Versioned>();
  let version = 0;

  function put(record: StateRecord): Written {
    version += 1;
    states.set(record.orderId, { record: structuredClone(record), etag: String(version) });
    return { kind: "written", record: structuredClone(record), etag: String(version) };
  }

  return {
    async create(order, record) {
      const known = orders.get(orderKey(order.orderId, FIRST_REVISION));
      const state = states.get(order.orderId);
      if (known && state) return { kind: "duplicate", order: known, record: structuredClone(state.record) };
      orders.set(orderKey(order.orderId, FIRST_REVISION), structuredClone(order));
      put(record);
      return { kind: "created" };
    },
    async order(orderId, revision) {
      const order = orders.get(orderKey(orderId, revision));
      if (!order) throw new Error(`no order ${orderId}, revision ${revision}`);
      return structuredClone(order);
    },
    async state(orderId) {
      return structuredClone(states.get(orderId));
    },
    async change(orderId, { guard, changes }) {
      const state = states.get(orderId);
      if (!state || !holds(guard, state.record)) return { kind: "refused" };
      return put(applyChanges(state.record, changes));
    },
    async replace(read, record) {
      return states.get(record.orderId)?.etag === read.etag ? put(record) : { kind: "refused" };
    },
    async revise(read, record, order) {
      const key = orderKey(record.orderId, record.orderRevision);
      if (orders.has(key) || states.get(record.orderId)?.etag !== read.etag) return { kind: "refused" };
      orders.set(key, structuredClone(order));
      return put(record);
    },
    async list(query) {
      const listed = [...states.values()].flatMap(({ record }) => (isListed(record, query) ? [record] : []));
      listed.sort((one, other) => (one.createdAt > other.createdAt ? -1 : 1));
      return pageOf(structuredClone(listed.map(listedOf)), query);
    },
    async countInFlight(instant) {
      const held = [...states.values()].filter(({ record }) => record.processState === "Processing");
      const waiting = held.filter(({ record: { dueAt, completeBy } }) => {
        return dueAt !== undefined && completeBy !== null && dueAt < instant && completeBy < dueAt;
      });
      return { held: held.length, waiting: waiting.length };
    },
    async *due(instant) {
      const due = [...states.values()].filter(({ record }) => record.dueAt !== undefined && record.dueAt < instant);
      due.sort((one, other) => ((one.record.dueAt ?? "") < (other.record.dueAt ?? "") ? -1 : 1));
      yield* structuredClone(due);
    },
  };
}
