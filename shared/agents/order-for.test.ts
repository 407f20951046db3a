// What leaves the app of an order: each agent gets what it declares, and nothing else.
import { expect, test } from "vitest";
import { sampleOrder } from "../../tests/support/orders.ts";
import { business } from "../business.ts";

const order = sampleOrder("order-1", { customer: { id: "customer-7", email: "ada@example.com" } });

/** Every value of an order, by its path; lists by their first entry. */
const EXPECTED: { readonly [agent: string]: readonly string[] } = {
  inventory: ["orderId", "lines.0.sku", "lines.0.quantity"],
  payment: ["orderId", "lines.0.quantity", "lines.0.unitPrice", "currency", "paymentToken"],
  fraud: [
    "orderId",
    "customer.id",
    "customer.email",
    "lines.0.quantity",
    "lines.0.unitPrice",
    "currency",
    "shipTo.country",
  ],
  shipping: [
    "orderId",
    "lines.0.sku",
    "lines.0.quantity",
    "shipTo.name",
    "shipTo.street",
    "shipTo.city",
    "shipTo.postalCode",
    "shipTo.country",
  ],
  hotel: ["orderId", "lines.0.sku", "lines.0.quantity"],
  flight: ["orderId", "lines.0.sku", "lines.0.quantity"],
  car: ["orderId", "lines.0.sku", "lines.0.quantity"],
  approval: ["orderId", "currency", "customer.id", "lines.0.quantity", "lines.0.unitPrice"],
  refunds: ["orderId"],
  smoke: ["orderId"],
};

function paths(value: unknown, at = ""): string[] {
  if (value === null || typeof value !== "object") return [at];
  return Object.entries(value).flatMap(([name, member]) =>
    Array.isArray(value) && name !== "0" ? [] : paths(member, at === "" ? name : `${at}.${name}`),
  );
}

test.each([...business.agentNames])("the agent %s gets what it declares", (agent) => {
  expect(paths(business.contentFor(agent, order)).sort()).toEqual([...(EXPECTED[agent] ?? [])].sort());
});

test("an agent that declares nothing gets the order's id", () => {
  expect(business.contentFor("elsewhere", order)).toEqual({ orderId: "order-1" });
});
