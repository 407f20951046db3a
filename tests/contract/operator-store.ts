// The part of the state store's contract that operators stand on: lists, and revisions of an order's content.
import { beforeAll, describe, expect, test } from "vitest";
import type { StateRecord } from "../../shared/domain/state-record.ts";
import type { OrderQuery } from "../../shared/store/order-list.ts";
import type { OrderStore } from "../../shared/store/order-store.ts";
import { sampleOrder, sampleRecord } from "../support/orders.ts";

export function operatorStoreContract(name: string, open: () => Promise<OrderStore>): void {
  describe(`order store, for operators: ${name}`, () => {
    let store: OrderStore;

    beforeAll(async () => {
      store = await open();
      const instants = ["T10:00:00.000Z", "T11:00:00.000Z", "T11:00:00.000Z", "T11:00:00.000Z", "T12:00:00.000Z"];
      for (const [index, time] of instants.entries()) await put(`listed-${index + 1}`, `2026-01-01${time}`, {});
      const pay = sampleRecord().steps["takePayment"];
      if (!pay) throw new Error("no step takePayment");
      const error = { kind: "rejected", message: "no", step: "takePayment", agent: "payment", at: "" } as const;
      await put("failed-1", "2025-01-01T10:00:00.000Z", {
        processState: "Error",
        error,
        steps: { takePayment: { ...pay, state: "Failed" } },
      });
      await put("running-1", "2025-01-01T09:00:00.000Z", {
        processState: "Processing",
        steps: { takePayment: { ...pay, state: "Running" } },
      });
      await put("returned-1", "2025-01-01T08:00:00.000Z", { workflow: { name: "returns", version: 1 } });
    });

    async function put(orderId: string, createdAt: string, changes: Partial<StateRecord>): Promise<void> {
      await store.create(sampleOrder(orderId), { ...sampleRecord(orderId), createdAt, ...changes });
    }

    async function listed(query: Partial<OrderQuery>): Promise<string[]> {
      const { orders } = await store.list({ limit: 100, ...query });
      return orders.map(({ orderId }) => orderId);
    }

    test("lists the newest first, orders only, with the state of each step", async () => {
      const page = await store.list({ limit: 100 });
      expect(page.orders.map(({ createdAt }) => createdAt)).toEqual(
        page.orders.map(({ createdAt }) => createdAt).sort((a, b) => (a < b ? 1 : -1)),
      );
      expect(page.orders).toHaveLength(8);
      expect(page.next).toBeUndefined();
      expect(page.orders.find(({ orderId }) => orderId === "failed-1")).toMatchObject({
        processState: "Error",
        error: { step: "takePayment" },
        steps: { takePayment: "Failed" },
      });
      expect(page.orders[0]).not.toHaveProperty("history");
    });

    test.each([
      [{ processState: "Error" }, ["failed-1"]],
      [{ kind: "rejected" }, ["failed-1"]],
      [{ kind: "rejected", processState: "Error" }, ["failed-1"]],
      [{ kind: "expired", processState: "Error" }, []],
      [{ workflow: "returns" }, ["returned-1"]],
      [{ step: "takePayment" }, ["failed-1", "running-1"]],
      [{ step: "takePayment", processState: "Processing" }, ["running-1"]],
      [{ text: "FAILED" }, ["failed-1"]],
      [{ text: "request-returned" }, ["returned-1"]],
      [{ text: "%' OR true" }, []],
    ] as const)("filters by %o", async (filter, wanted) => {
      expect(await listed(filter)).toEqual(wanted);
    });

    test.each([1, 2, 3])("pages of %i show each order once, also those of one instant", async (limit) => {
      const seen: string[] = [];
      let page = await store.list({ limit, text: "listed" });
      for (;;) {
        expect(page.orders.length).toBeLessThanOrEqual(limit);
        expect(seen.length).toBeLessThan(5);
        seen.push(...page.orders.map(({ orderId }) => orderId));
        if (!page.next) break;
        page = await store.list({ limit, text: "listed", after: page.next });
      }
      expect([...seen].sort()).toEqual(["listed-1", "listed-2", "listed-3", "listed-4", "listed-5"]);
      expect([seen[0], seen[4]]).toEqual(["listed-5", "listed-1"]);
    });

    test("a revision and its record are written together, once; what was there before stays", async () => {
      await put("edited-1", "2024-01-01T10:00:00.000Z", {});
      const read = await store.state("edited-1");
      if (!read) throw new Error("no state record");
      const revised = { ...read.record, orderRevision: 2 };
      const edit = sampleOrder("edited-1", { paymentToken: "tok_new" });
      expect(await store.revise(read, revised, edit)).toMatchObject({ kind: "written", record: { orderRevision: 2 } });
      expect(await store.order("edited-1", 2)).toEqual(edit);
      expect((await store.order("edited-1", 1)).paymentToken).toBe("tok_visa");
      expect(await store.revise(read, revised, edit)).toEqual({ kind: "refused" });
    });

    test("where the record has changed, neither the revision nor the record is written", async () => {
      await put("edited-2", "2024-01-01T10:00:00.000Z", {});
      const read = await store.state("edited-2");
      if (!read) throw new Error("no state record");
      await store.replace(read, { ...read.record, failureCount: 1 });
      const edit = sampleOrder("edited-2", { paymentToken: "tok_new" });
      expect(await store.revise(read, { ...read.record, orderRevision: 2 }, edit)).toEqual({ kind: "refused" });
      await expect(store.order("edited-2", 2)).rejects.toThrow("revision 2");
      expect((await store.state("edited-2"))?.record).toMatchObject({ orderRevision: 1, failureCount: 1 });
    });
  });
}
