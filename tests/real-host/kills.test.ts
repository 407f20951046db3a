// What the remote services' audit logs have to show after a kill.
import { expect, test } from "vitest";
import { CHAIN, sampleRecord } from "../support/orders.ts";
import { effectFaults } from "./kills.ts";

const record = { ...sampleRecord("order-1", CHAIN), processState: "Processed" as const };
const KEYS = ["reserveStock", "takePayment", "arrangeShipping"].map((step) => `order-1:${step}:forward`);

test("one effect a step is right", () => {
  expect(effectFaults([record], [...KEYS, "order-2:reserveStock:forward"])).toEqual([]);
});

test("a step without an effect, one with two, and a compensation are named", () => {
  const keys = [...KEYS.slice(1), "order-1:takePayment:forward:2", "order-1:arrangeShipping:compensate"];
  expect(effectFaults([record], keys)).toEqual([
    "order-1: reserveStock has 0 effects",
    "order-1: takePayment has 2 effects",
    "order-1: there is an effect arrangeShipping:compensate",
  ]);
});

test("only Processed orders are looked at", () => {
  expect(effectFaults([{ ...record, processState: "Error" }], [])).toEqual([]);
});
