// A wrong credential through the whole stack: orders wait for a person, by either transport, and go on once it is fixed.

import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack();
});
afterAll(() => app?.[Symbol.asyncDispose]());

const held = ({ processState, attempt }: StateRecord) => processState === "Pending" && attempt === 2;
const LONG_MS = 40_000;

async function ask(path: string, body?: unknown) {
  const headers = { "content-type": "application/json", "x-ms-client-principal-name": "ada@example.com" };
  const options = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await app.call(`api/jobs${path}`, options);
  return { status: response.status, body: (await response.json()) as { record: StateRecord } };
}

test.each([
  ["inventory", "reserveStock", "an activity"],
  ["fraud", "checkFraud", "a step over a queue"],
])(
  "P27 401 from %s in %s, %s: held with its cause, not counted, and Processed once the key is right",
  async (service, step) => {
    const orderId = `held-${service}`;
    const fix = await app.switchOn(service, {
      kind: "reject",
      status: 401,
      message: "key expired",
      match: { orderId },
    });
    await app.shop.send({ ...madeOrder(orderId), workflow: "order-fulfilment" });
    const record = await app.eventually(orderId, held, LONG_MS);
    expect(record).toMatchObject({ failureCount: 0, direction: "forward", error: null });
    const { body } = await ask(`/${orderId}`);
    expect(body.record.steps[step]).toMatchObject({
      state: "NotStarted",
      expiry: { attempt: 1, misconfigured: true, message: expect.stringContaining("HTTP 401") },
    });
    expect(body.record.steps[step]?.expiry?.tries).toBeGreaterThan(0);
    expect(app.statuses(orderId).map(({ subject }) => subject)).not.toContain("RetryScheduled");
    await fix();
    expect((await ask(`/${orderId}/resubmit`, { reason: "key renewed" })).status).toBe(200);
    const ended = await app.eventually(orderId, ({ processState }) => processState === "Processed", LONG_MS);
    expect(ended.failureCount).toBe(0);
  },
  2 * LONG_MS,
);

test(
  "P31 eight orders that their service rejects with 400 wait alone: others are done beside them, and none has another's words",
  async () => {
    const ids = Array.from({ length: 8 }, (_, nth) => `bad-token-${nth}`);
    for (const orderId of ids) {
      const fault = { kind: "reject", status: 400, message: `the token of ${orderId}`, match: { orderId } } as const;
      await app.switchOn("payment", fault);
    }
    for (const orderId of ids) await app.shop.send({ ...madeOrder(orderId), workflow: "order-fulfilment" });
    for (const orderId of ids) await app.eventually(orderId, held, LONG_MS);
    const good = madeOrder("good-token");
    await app.shop.send({ ...good, workflow: "order-fulfilment" });
    const ended = await app.eventually("good-token", ({ processState }) => processState === "Processed", LONG_MS);
    expect(ended).toMatchObject({ failureCount: 0, attempt: 1 });
    for (const orderId of ids) {
      const { body } = await ask(`/${orderId}`);
      const text = JSON.stringify(body.record);
      expect(text).toContain(`the token of ${orderId}`);
      expect(ids.filter((id) => text.includes(`the token of ${id}`))).toEqual([orderId]);
    }
  },
  3 * LONG_MS,
);
