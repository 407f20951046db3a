// What is left of an order's life to judge it by: its record, the effects, what the client received, what still runs.
import type { TestStack } from "../support/test-stack.ts";
import type { Evidence } from "./check-life.ts";

const SERVICES = ["inventory", "payment", "fraud", "shipping"];

export async function evidenceOf({ records, effects, statuses, stack }: TestStack, orderId: string): Promise<Evidence> {
  const [[record], found, running] = await Promise.all([
    records.of([orderId]),
    Promise.all(SERVICES.map((service) => effects(service))),
    Promise.all(stack.addresses.hosts.map(({ url }) => runningAttempts(url, orderId))),
  ]);
  const keys = found.flat().flatMap(({ key }) => (key.startsWith(`${orderId}:`) ? [key] : []));
  return { record, effects: keys, published: statuses(orderId), running: running.flat() };
}

async function runningAttempts(host: string, orderId: string): Promise<string[]> {
  try {
    const query = `runtimeStatus=Running,Pending&instanceIdPrefix=${orderId}-`;
    const response = await fetch(`${host}/runtime/webhooks/durabletask/instances?code=local&${query}`);
    return ((await response.json()) as { instanceId: string }[]).map(({ instanceId }) => instanceId);
  } catch {
    return ["not known: the host is down"];
  }
}
