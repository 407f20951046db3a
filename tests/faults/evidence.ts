// What is left of an order's life to judge it by: its record, the effects, what the client received, what still runs.
import { runningAttempts } from "@scheduler-agent-supervisor/testing/internal/faults/evidence";
import type { TestStack } from "../support/test-stack.ts";
import type { Evidence } from "./check-life.ts";

const SERVICES = ["inventory", "payment", "fraud", "shipping"];

export async function evidenceOf({ records, effects, statuses, stack }: TestStack, orderId: string): Promise<Evidence> {
  const [[record], found, running] = await Promise.all([
    records.of([orderId]),
    Promise.all(SERVICES.map((service) => effects(service))),
    runningAttempts(stack.addresses.hosts, orderId),
  ]);
  const keys = found.flat().flatMap(({ key }) => (key.startsWith(`${orderId}:`) ? [key] : []));
  return { record, effects: keys, published: statuses(orderId), running };
}
