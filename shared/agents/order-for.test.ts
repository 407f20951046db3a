// What leaves the app of an order: each agent gets what it declares, and nothing else.
import { expect, test } from "vitest";
import { casesByAgent } from "../../tests/support/agent-cases.ts";
import { sampleOrder } from "../../tests/support/orders.ts";
import { business } from "../business.ts";

const order = sampleOrder("order-1", { customer: { id: "customer-7", email: "ada@example.com" } });

/** An agent without a service declares nothing, and gets the order's id. */
const EXPECTED: ReadonlyMap<string, readonly string[]> = new Map([
  ...business.agents.flatMap(({ kind, name }) => (kind === "local" ? [[name, ["orderId"]] as const] : [])),
  ...casesByAgent.map(([name, { seen }]) => [name, seen] as const),
  // It sends the whole order again, under another id.
  ["replacement", paths(order)],
]);

function paths(value: unknown, at = ""): string[] {
  if (value === null || typeof value !== "object") return [at];
  return Object.entries(value).flatMap(([name, member]) =>
    Array.isArray(value) && name !== "0" ? [] : paths(member, at === "" ? name : `${at}.${name}`),
  );
}

test.each([...business.agentNames])("the agent %s gets what it declares", (agent) => {
  const expected = [...(EXPECTED.get(agent) ?? [])].sort();
  expect(paths(business.contentFor(agent, order)).sort(), "tests/support/agent-cases.ts").toEqual(expected);
});

test("an agent that declares nothing gets the order's id", () => {
  expect(business.contentFor("elsewhere", order)).toEqual({ orderId: "order-1" });
});
