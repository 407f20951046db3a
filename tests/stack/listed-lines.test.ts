// A list in a step's result through the whole stack: each line that the result has is reserved by itself.

import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CHAIN } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const LISTED: Workflow = {
  ...CHAIN,
  name: "listed",
  policy: { ...CHAIN.policy, onRejected: "compensate" },
  outputs: {},
  steps: [
    {
      name: "sortLines",
      agent: "sorter",
      operation: "decide",
      after: [],
      completeWithin: "PT10S",
      compensation: "nothing",
    },
    ...CHAIN.steps.map((step) =>
      step.name === "reserveStock" ? { ...step, after: ["sortLines"], forEach: "sortLines.lines" } : step,
    ),
  ],
};

const WITHIN_MS = 60_000;
const LIMIT_MS = 90_000;
const ended = ({ processState }: StateRecord) => hasEnded(processState);

let adapted: AdaptedApp;
let app: TestStack;

beforeAll(async () => {
  adapted = adaptApp([LISTED]);
  app = await startTestStack({ appDir: adapted.dir });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
});

const line = (sku: string) => ({ sku, quantity: 1, unitPrice: 100 });

async function order(orderId: string, ...skus: readonly string[]): Promise<StateRecord> {
  await app.shop.send({ ...madeOrder(orderId), workflow: "listed", lines: skus.map(line) });
  return app.eventually(orderId, ended, WITHIN_MS);
}

test(
  "P23 each line of the result has a run, a key and an effect of its own, in one attempt",
  async () => {
    const record = await order("listed-1", "TEA-100", "MUG-3", "CUP-1");
    expect(record).toMatchObject({ processState: "Processed", attempt: 1 });
    expect(Object.keys(record.steps).slice(0, 4)).toEqual([
      "sortLines",
      "reserveStock_1",
      "reserveStock_2",
      "reserveStock_3",
    ]);
    expect(record.steps["reserveStock_3"]?.item).toEqual({ sku: "CUP-1", quantity: 1 });
    const completed = () => app.statuses("listed-1").filter(({ subject }) => subject === "StepCompleted");
    const reserved = () =>
      completed()
        .map(({ body }) => (body as { step?: string }).step)
        .filter((step) => step?.startsWith("reserveStock"))
        .sort();
    // They come after the record's last write.
    await expect.poll(reserved).toEqual(["reserveStock_1", "reserveStock_2", "reserveStock_3"]);
  },
  LIMIT_MS,
);

test(
  "P13 a line that is sold out: the others are released",
  async () => {
    await app.switchOn("inventory", {
      match: { orderId: "listed-2" },
      ...{ kind: "reject", status: 409, message: "sold out", calls: 1 },
    });
    const record = await order("listed-2", "TEA-100", "MUG-3");
    expect(record).toMatchObject({
      processState: "Compensated",
      error: { kind: "rejected", message: expect.stringContaining("sold out") },
    });
    const states = ["reserveStock_1", "reserveStock_2"].map((run) => record.steps[run]?.state);
    expect(states.sort()).toEqual(["Compensated", "Failed"]);
  },
  LIMIT_MS,
);
