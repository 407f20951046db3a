// P14, P16: engine and store don't agree, on the real stack: an orchestration is ended, or lost, behind the app's back.
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../../cli/shop.ts";
import { openLedger } from "../support/ledger.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack({ appSettings: { ReconcileAfter: "PT1S" } });
});
afterAll(() => app?.[Symbol.asyncDispose]());

const ended = ({ processState }: { processState: string }) => processState === "Processed" || processState === "Error";
const isRunning = (step: string) => (record: { steps: Readonly<Record<string, { state: string }>> }) =>
  record.steps[step]?.state === "Running";

/** As a person with the engine's own management API can. */
async function manage(instanceId: string, method: string, path = ""): Promise<{ runtimeStatus?: string }> {
  const url = `${app.stack.addresses.host?.url}/runtime/webhooks/durabletask/instances/${instanceId}${path}`;
  const response = await fetch(url, { method });
  expect(response.ok, `${method} ${url}: ${response.status}`).toBe(true);
  const text = await response.text();
  return text ? JSON.parse(text) : {};
}

test.each([
  ["terminated", ["POST", "/terminate?reason=test"]],
  ["lost", ["DELETE", ""]],
] as const)(
  "P14 P16 the orchestration is %s: it is started again long before complete-by, and each effect is had once",
  async (what, [method, path]) => {
    const orderId = `reconciled-${what}`;
    await app.switchOn("shipping", { kind: "slow", delayMs: 4000, calls: 1, match: { orderId } });
    await app.shop.send(madeOrder(orderId));
    await app.eventually(orderId, isRunning("arrangeShipping"));
    if (what === "lost") await manage(`${orderId}-1`, "POST", "/terminate?reason=test");
    await expect.poll(() => manage(`${orderId}-1`, method, path).then(() => true)).toBe(true);
    const record = await app.eventually(orderId, ended);
    expect(record).toMatchObject({ processState: "Processed", attempt: 1, failureCount: 0 });
    for (const { key, calls } of await app.effects("payment")) if (key.startsWith(orderId)) expect(calls).toBe(1);
    expect(await app.effects("shipping", orderId)).toHaveLength(1);
    const entries = (await openLedger(app.settings)).filter(({ kind }) => kind === "reconciliation");
    expect(entries).toContainEqual(expect.objectContaining({ orderId, attempt: 1 }));
  },
);

test("P16 an orchestration whose record moved on is terminated", async () => {
  await app.switchOn("shipping", { kind: "down", forMs: 5000, match: { orderId: "moved-1" } });
  await app.shop.send(madeOrder("moved-1"));
  await app.eventually("moved-1", isRunning("arrangeShipping"));
  const response = await fetch(`${app.stack.addresses.host?.url}/api/orders/moved-1/undo`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ reason: "the customer has changed her mind" }),
  });
  expect(response.status, await response.text()).toBe(200);
  const status = async () => (await manage("moved-1-1", "GET")).runtimeStatus;
  await expect.poll(status, { timeout: 8000 }).toBe("Terminated");
  expect(await app.eventually("moved-1", ended)).toMatchObject({ direction: "undo", error: { kind: "undone" } });
});
