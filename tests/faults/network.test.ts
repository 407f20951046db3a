// P16, P20: bus and state store away, slow, half-open, cut, throttling, or their answers lost, under orders in all their steps.

import { setTimeout as sleep } from "node:timers/promises";
import { hasEnded, isInHand, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { NetworkFault } from "@scheduler-agent-supervisor/local";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { containerOf } from "../support/store.ts";
import { rejectData } from "../support/store-rejections.ts";
import { type FaultyStack, startFaultyStack } from "./faulty-stack.ts";
import { workflows } from "./workflows.ts";

const ORDERS = 8;
const CUTS = 6;
const TIMEOUT_MS = 180_000;

let app: FaultyStack;
beforeAll(async () => {
  app = await startFaultyStack(workflows, {
    appSettings: { StartWithin: "PT3S" },
    tuning: { timing: { claimWithinMs: 3000, clockSkewMs: 500 } },
  });
});
afterAll(() => app?.[Symbol.asyncDispose]());

const ended = ({ processState }: StateRecord) => hasEnded(processState);

/** Has orders in their steps when `fault` begins, and more come while it lasts; all of them end as if nothing had been. */
async function underWay(name: string, fault: () => Promise<void>, withinMs?: number): Promise<void> {
  const before = Array.from({ length: ORDERS }, (_, index) => `${name}-${index}`);
  const meanwhile = [`${name}-meanwhile`];
  for (const service of ["inventory", "payment", "shipping"]) {
    await app.switchOn(service, { kind: "slow", delayMs: 200, calls: ORDERS });
  }
  await app.submit(before);
  // The connections may still be coming back from the fault before this one.
  await app.eventually(before[0] ?? "", ({ history }) => history.length > 1, 100_000);
  await Promise.all([fault(), app.submit(meanwhile)]);
  await app.allEnd([...before, ...meanwhile], {}, withinMs);
}

const lasting = (proxy: "bus" | "cosmos", fault: NetworkFault, ms: number) => () =>
  app.to[proxy].during(fault, () => sleep(ms));

async function cuts(proxy: "bus" | "cosmos"): Promise<void> {
  for (let cut = 0; cut < CUTS; cut += 1) {
    app.to[proxy].cut();
    await sleep(150);
  }
}

test(
  "[all actors | orders under way | bus down for 3 s] they continue when it is back; each status arrives, in order",
  () => underWay("bus-down", lasting("bus", { kind: "down" }, 3000)),
  TIMEOUT_MS,
);

test(
  "[all actors | orders under way | bus slow, 150 ms each way] they are processed, later",
  () => underWay("bus-slow", lasting("bus", { kind: "slow", ms: 150 }, 4000)),
  TIMEOUT_MS,
);

test(
  "[all actors | orders under way | bus half-open for 7 s, nothing answered] sends time out and are repeated under the same message ids",
  () => underWay("bus-half-open", lasting("bus", { kind: "halfOpen" }, 7000)),
  TIMEOUT_MS,
);

test(
  "[all actors | orders under way | bus connections cut in the middle, six times] what was not acknowledged is sent or delivered again; one effect a step",
  () => underWay("bus-cut", () => cuts("bus")),
  TIMEOUT_MS,
);

test(
  "[all actors | orders under way | state store down for 3 s] writes are repeated until it is back; one effect a step",
  () => underWay("store-down", lasting("cosmos", { kind: "down" }, 3000)),
  TIMEOUT_MS,
);

test(
  "[all actors | orders under way | state store slow, 150 ms each way] they are processed, later",
  () => underWay("store-slow", lasting("cosmos", { kind: "slow", ms: 150 }, 3000)),
  TIMEOUT_MS,
);

test(
  "[all actors | orders under way | state store half-open for 5 s, nothing answered] what waited is repeated when its connection is cut",
  () => underWay("store-half-open", lasting("cosmos", { kind: "halfOpen" }, 5000)),
  TIMEOUT_MS,
);

test(
  "[all actors | orders under way | state store connections cut in the middle, six times] every write takes effect once, with or without its answer",
  () => underWay("store-cut", () => cuts("cosmos")),
  TIMEOUT_MS,
);

test(
  "[all actors | orders under way | state store throttles 80 requests, 429] they are repeated after a pause; none is lost",
  () => underWay("store-busy", () => rejectData(app, { requests: 80 })),
  TIMEOUT_MS,
);

test(
  "[all actors | orders under way | connections to the state store stop answering] waiting requests are aborted after 5 s and repeated on a new connection",
  // An attempt that gave up is found when its step's time is over, which is 30 s here.
  () => underWay("store-silent", async () => app.to.cosmos.stall(), 80_000),
  TIMEOUT_MS,
);

describe("an answer is lost after what it answers was done", () => {
  /** One order through a fault that has to strike. */
  async function through(orderId: string, proxy: "bus" | "cosmos", to: RegExp): Promise<StateRecord> {
    const before = app.to[proxy].crashed;
    await app.to[proxy].during({ kind: "loseAnswer", to, times: 1 }, async () => {
      await app.submit([orderId]);
      await app.allEnd([orderId]);
    });
    expect(app.to[proxy].crashed, "the answer was lost").toBeGreaterThan(before);
    return app.eventually(orderId, ended);
  }

  const timesPublished = (orderId: string, status: string) =>
    app.statuses(orderId).filter(({ subject }) => subject === status).length;

  test(
    "[submission | order and record written | answer of the store lost] the second try finds a duplicate, which is its own: one order",
    async () => {
      const record = await through("lost-create", "cosmos", /is-batch-request.*lost-create/is);
      expect(record).toMatchObject({ attempt: 1, failureCount: 0 });
    },
    TIMEOUT_MS,
  );

  test(
    "[scheduler | claim written | answer of the store lost] the second try is rejected, and finds that the order is its own",
    async () => {
      const record = await through("lost-claim", "cosmos", /PATCH .*"Processing".*claimed, attempt 1/s);
      expect(record).toMatchObject({ attempt: 1, failureCount: 0 });
      expect(record.history.filter(({ what }) => what.startsWith("claimed"))).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  test(
    "[agents | outcome of a step written | answer of the store lost] the second try is rejected, and the recorded outcome is taken and published",
    async () => {
      const record = await through("lost-outcome", "cosmos", /PATCH .*takePayment: Completed/s);
      expect(record.history.filter(({ what }) => what.startsWith("takePayment"))).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  test(
    "[agents | the order concluded | answer of the store lost] the second try is rejected; Completed is published all the same",
    async () => {
      await through("lost-end", "cosmos", /PATCH .*capturePayment: Completed/s);
    },
    TIMEOUT_MS,
  );

  test(
    "[messenger | a status sent | acknowledgement of the bus lost] it is sent again under the same message id, and the reply queue drops that",
    async () => {
      // `through` sees that the fault came: what was sent again could be received twice.
      await through("lost-status", "bus", /"jobId":"lost-status".*"status":"Started"/s);
      expect(timesPublished("lost-status", "Started")).toBe(1);
    },
    TIMEOUT_MS,
  );

  test(
    "[messenger | an agent's request sent | acknowledgement of the bus lost] the queue drops the repeat; the service is called once",
    async () => {
      await through("lost-request", "bus", /"jobId":"lost-request".*"idempotencyKey":"lost-request:checkFraud/s);
      expect(await app.effects("fraud", "lost-request")).toMatchObject([{ calls: 1 }]);
    },
    TIMEOUT_MS,
  );

  test(
    "[supervisor | recovery written | answer of the store lost] it counts as lost to another; the order is started when its claim is overdue, one failure counted",
    async () => {
      const orderId = "lost-recovery";
      const before = app.to.cosmos.crashed;
      const endOutage = await app.switchOn("shipping", { kind: "down", match: { orderId } });
      await app.to.cosmos.during({ kind: "loseAnswer", to: /PUT .*lost-recovery.*, retried/s, times: 1 }, async () => {
        await app.submit([orderId], { workflow: "hasty" });
        await app.eventually(orderId, ({ attempt }) => attempt === 2);
        await endOutage();
        await app.allEnd([orderId]);
      });
      expect(app.to.cosmos.crashed).toBeGreaterThan(before);
      const record = await app.eventually(orderId, ended);
      expect(record.history.filter(({ what }) => what.includes(", retried"))).toHaveLength(record.failureCount);
      expect(record.attempt).toBe(record.failureCount + 1);
    },
    TIMEOUT_MS,
  );

  test(
    "[operator | compensation written | answer of the store lost] the write is recognised as its own, and the compensation is begun once",
    async () => {
      const orderId = "lost-undo";
      await app.switchOn("inventory", { kind: "reject", match: { orderId } });
      await app.submit([orderId]);
      await app.eventually(orderId, (record) => ended(record) && record.outbox.length === 0);
      const before = app.to.cosmos.crashed;
      await app.to.cosmos.during(
        { kind: "loseAnswer", to: /PUT .*lost-undo.*to be compensated/s, times: 1 },
        async () => {
          const response = await app.call(`api/jobs/${orderId}/compensate`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ reason: "a test" }),
          });
          expect(response.status, await response.text()).toBe(200);
        },
      );
      expect(app.to.cosmos.crashed).toBeGreaterThan(before);
      const record = await app.eventually(orderId, ({ processState }) => processState === "Compensated");
      expect(record.attempt).toBe(2);
    },
    TIMEOUT_MS,
  );
});

test(
  "[supervisor | an overdue record | another writes it again and again, 412] each try at an old version changes nothing; one failure is counted for an expiry",
  async () => {
    const orderId = "storm";
    await app.switchOn("shipping", { kind: "down", forMs: 5000, match: { orderId } });
    await app.submit([orderId], { workflow: "hasty" });
    await app.eventually(orderId, ({ steps }) => isInHand(steps["arrangeShipping"] ?? null));
    const item = containerOf(app.settings).item("state", orderId);
    let writes = 0;
    for (const until = Date.now() + 5000; Date.now() < until || writes <= 100; writes += 1) {
      await item.patch([{ op: "set", path: "/stirred", value: writes }]);
    }
    expect(writes).toBeGreaterThan(100);
    await app.allEnd([orderId]);
    const record = await app.eventually(orderId, ended);
    expect(record.history.filter(({ what }) => what.includes(", retried"))).toHaveLength(record.failureCount);
    expect(record.attempt).toBe(record.failureCount + 1);
  },
  TIMEOUT_MS,
);
