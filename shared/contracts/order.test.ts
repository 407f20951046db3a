import { expect, test } from "vitest";
import { sampleOrder } from "../../tests/support/orders.ts";
import { orderTotal } from "./order.ts";

test("an order's total", () => {
  expect(orderTotal(sampleOrder())).toBe(2150);
});
