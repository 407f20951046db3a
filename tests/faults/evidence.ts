// What is left of an order's life to judge it by: its record, the effects, what the client received, what still runs.
import { runningAttempts } from "@scheduler-agent-supervisor/testing/faults";
import { services } from "../../samples/remotes.ts";
import type { TestStack } from "../support/test-stack.ts";
import type { Evidence } from "./check-life.ts";

/** Whatever the definition has: one that knows no keys is judged by itself. */
const SERVICES = services.filter(({ keys }) => keys !== false).map(({ name }) => name);

export async function evidenceOf({ records, effects, statuses, stack }: TestStack, orderId: string): Promise<Evidence> {
  const [[record], found, flights, running] = await Promise.all([
    records.of([orderId]),
    Promise.all(SERVICES.map((service) => effects(service))),
    effects("flight", orderId),
    runningAttempts(stack.addresses.hosts, orderId),
  ]);
  const keys = found.flat().flatMap(({ key }) => (key.startsWith(`${orderId}:`) ? [key] : []));
  // It knows no keys: each request that it does is an effect of its own.
  const booked = flights.map(({ action }) => `${orderId}:bookFlight:${action === "create" ? "forward" : "compensate"}`);
  return { record, effects: [...keys, ...booked], published: statuses(orderId), running };
}
