// The contract of the state store's port: every implementation passes this one suite.
import { beforeAll, describe, expect, test } from "vitest";
import { firstOpenStep } from "../../shared/domain/attempt.ts";
import { after } from "../../shared/domain/duration.ts";
import { recover, wakeOf } from "../../shared/domain/recovery.ts";
import type { StateRecord } from "../../shared/domain/state-record.ts";
import { claim, completed, completeStep, started } from "../../shared/domain/transitions.ts";
import type { OrderStore } from "../../shared/store/order-store.ts";
import { orderFulfilment } from "../../shared/workflows/order-fulfilment.ts";
import { NOON, sampleOrder, sampleRecord } from "../support/orders.ts";

export function orderStoreContract(name: string, open: () => Promise<OrderStore>): void {
  describe(`order store: ${name}`, () => {
    let store: OrderStore;
    let made = 0;

    beforeAll(async () => {
      store = await open();
    });

    async function submitted(): Promise<StateRecord> {
      made += 1;
      const record = sampleRecord(`${name}-${made}`);
      expect(await store.create(sampleOrder(record.orderId), record)).toEqual({ kind: "created" });
      return record;
    }

    function claimOf(record: StateRecord) {
      const step = firstOpenStep(orderFulfilment.steps, record.steps);
      const waiting = step && record.steps[step.name];
      if (!waiting) throw new Error("no step left");
      return claim(wakeOf(record), { name: step.name, record: started(waiting, step.completeWithin, NOON) }, NOON);
    }

    test("what is created can be read, order and record", async () => {
      const record = await submitted();
      expect(await store.order(record.orderId)).toEqual(sampleOrder(record.orderId));
      expect((await store.state(record.orderId))?.record).toMatchObject(record);
    });

    test("a second create of one id is a duplicate, answers what stands there and changes nothing", async () => {
      const record = await submitted();
      const again = await store.create(sampleOrder(record.orderId, { currency: "USD" }), {
        ...record,
        replyTo: "other",
      });
      expect(again).toMatchObject({
        kind: "duplicate",
        order: { currency: "EUR" },
        record: { replyTo: "replies-shop" },
      });
      expect((await store.state(record.orderId))?.record.replyTo).toBe("replies-shop");
    });

    test("an order that is not there: no state, and asking for the order throws", async () => {
      expect(await store.state("nowhere")).toBeUndefined();
      await expect(store.order("nowhere")).rejects.toThrow("nowhere");
    });

    test("P4 of fifty claims at once exactly one is taken", async () => {
      const record = await submitted();
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, () => store.change(record.orderId, claimOf(record))),
      );
      expect(outcomes.filter(({ kind }) => kind === "written")).toHaveLength(1);
      const stored = (await store.state(record.orderId))?.record;
      expect(stored).toMatchObject({ processState: "Processing", lockedBy: `${record.orderId}-1` });
      expect(stored?.history).toHaveLength(2);
    });

    test("a guarded write of a step that is not running is refused and changes nothing", async () => {
      const record = await submitted();
      const taken = await store.change(record.orderId, claimOf(record));
      if (taken.kind !== "written") throw new Error("the claim was refused");
      const step = taken.record.steps["takePayment"];
      if (!step) throw new Error("no such step");
      const holder = { orderId: record.orderId, attempt: 1, lockedBy: `${record.orderId}-1` };
      const reply = { replyTo: null, correlationId: "", traceparent: null };
      const task = {
        ...holder,
        step: "takePayment",
        agent: "payment",
        record: step,
        completeBy: NOON,
        results: {},
        next: null,
        reply,
      };
      const done = completed(step, { chargeId: "ch-1" }, "http://payment", NOON);
      expect(await store.change(record.orderId, completeStep(task, done, null, NOON))).toEqual({ kind: "refused" });
      expect((await store.state(record.orderId))?.record).toMatchObject(taken.record);
    });

    test("the last step's write concludes the order and removes dueAt", async () => {
      const record = await submitted();
      const taken = await store.change(record.orderId, claimOf(record));
      if (taken.kind !== "written") throw new Error("the claim was refused");
      const step = taken.record.steps["reserveStock"];
      if (!step) throw new Error("no such step");
      const reply = { replyTo: null, correlationId: "", traceparent: null };
      const holder = { orderId: record.orderId, attempt: 1, lockedBy: `${record.orderId}-1` };
      const task = {
        ...holder,
        step: "reserveStock",
        agent: "inventory",
        record: step,
        completeBy: NOON,
        results: {},
        next: null,
        reply,
      };
      const written = await store.change(
        record.orderId,
        completeStep(task, completed(step, {}, "http://x", NOON), null, NOON),
      );
      expect(written).toMatchObject({
        kind: "written",
        record: { processState: "Processed", lockedBy: null, completeBy: null },
      });
      expect((await store.state(record.orderId))?.record).not.toHaveProperty("dueAt");
    });

    test("P12 a replace at the version read is taken once; the second supervisor's is refused", async () => {
      const record = await submitted();
      const read = await store.state(record.orderId);
      if (!read) throw new Error("no state record");
      const next = recover(read.record, { kind: "wake" }, NOON, after(NOON, 120_000));
      expect(await store.replace(read, next)).toMatchObject({ kind: "written" });
      expect(await store.replace(read, next)).toEqual({ kind: "refused" });
    });

    test("due finds what is due before the instant, the longest overdue first, and nothing else", async () => {
      const records = [await submitted(), await submitted(), await submitted()];
      const [late, later, future] = records.map(({ orderId }) => orderId);
      for (const [orderId, dueAt] of [
        [late, "2020-01-02"],
        [later, "2020-01-03"],
        [future, "2099-01-01"],
      ] as const) {
        const read = await store.state(orderId ?? "");
        if (!read) throw new Error("no state record");
        await store.replace(read, { ...read.record, dueAt });
      }
      const found: string[] = [];
      for await (const { record } of store.due("2021-01-01")) found.push(record.orderId);
      expect(found).toEqual([late, later]);
    });
  });
}
