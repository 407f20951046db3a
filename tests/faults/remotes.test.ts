// P6, P8, P18, P20: a remote service down, slow, rejecting, cut off, answering too late or twice, or its answer lost after the effect.

import { setTimeout as sleep } from "node:timers/promises";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { ServiceFault } from "@scheduler-agent-supervisor/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { messagesIn } from "../support/queue-contents.ts";
import type { End } from "./check-life.ts";
import { type FaultyStack, startFaultyStack } from "./faulty-stack.ts";
import { workflows } from "./workflows.ts";

const TIMEOUT_MS = 180_000;

let app: FaultyStack;
beforeAll(async () => {
  app = await startFaultyStack(workflows, {
    tuning: {
      timing: { claimWithinMs: 3000, clockSkewMs: 200 },
      breaker: { openMs: 300, longestOpenMs: 1500 },
      tryTimeoutMs: 1000,
    },
  });
});
afterAll(() => app?.[Symbol.asyncDispose]());

const ended = ({ processState }: StateRecord) => hasEnded(processState);
const beforeShipping = ["reserveStock", "takePayment", "checkFraud"] as const;
const compensated: End = { error: "compensated", steps: beforeShipping, compensated: ["reserveStock", "takePayment"] };

async function through(
  orderId: string,
  service: string,
  fault: ServiceFault,
  { workflow = "order-fulfilment", end = {} }: { readonly workflow?: string; readonly end?: End } = {},
): Promise<StateRecord> {
  await app.switchOn(service, { ...fault, match: { orderId } });
  await app.submit([orderId], { workflow });
  await app.allEnd([orderId], end);
  return app.eventually(orderId, ended);
}

test.concurrent(
  "[agents | a step's call | service down, and back inside the step's time] it is called again with the same key; the attempt continues",
  async ({ expect }) => {
    const record = await through("down-short", "shipping", { kind: "down", forMs: 3000 });
    expect(record).toMatchObject({ attempt: 1, failureCount: 0 });
  },
  TIMEOUT_MS,
);

test.concurrent(
  "[agents | a step's call | service down for longer than the step's time] the step times out; the next attempt retries it",
  async ({ expect }) => {
    // However slow the machine is: it is up again once a time was over.
    const up = await app.switchOn("shipping", { kind: "down", match: { orderId: "down-long" } });
    await app.submit(["down-long"], { workflow: "hasty" });
    await app.eventually("down-long", ({ failureCount }) => failureCount > 0);
    await up();
    await app.allEnd(["down-long"], {});
    const record = await app.eventually("down-long", ended);
    expect(record.steps["takePayment"]).toMatchObject({ retryCount: 0 });
  },
  TIMEOUT_MS,
);

test.concurrent(
  "[agents | a step's call | service down permanently] after the attempts and pauses of its policy all that was done is compensated",
  async () => {
    await through(
      "down-good",
      "shipping",
      { kind: "down", path: "/shipments" },
      { workflow: "patient", end: compensated },
    );
  },
  TIMEOUT_MS,
);

test.concurrent(
  "[agents | a step's call | service answers 429 with Retry-After] the agent waits that long",
  async ({ expect }) => {
    const record = await through("busy", "shipping", { kind: "down", status: 429, retryAfterS: 1, calls: 1 });
    const { startedAt, endedAt } = record.steps["arrangeShipping"] ?? {};
    expect(Date.parse(endedAt ?? "") - Date.parse(startedAt ?? "")).toBeGreaterThanOrEqual(1000);
  },
  TIMEOUT_MS,
);

test.concurrent(
  "[agents | a step's call | service slow, answers inside the step's time but past a try's] the next try gets the answer under the same key",
  async () => {
    await through("slow-short", "shipping", { kind: "slow", delayMs: 2500, calls: 1 });
    expect(await app.effects("shipping", "slow-short")).toHaveLength(1);
  },
  TIMEOUT_MS,
);

test.concurrent(
  "[agents | a step's call | service answers after complete-by] the answer changes nothing; the next attempt has it under the same key",
  async ({ expect }) => {
    const record = await through("late", "shipping", { kind: "slow", delayMs: 3000, calls: 3 }, { workflow: "hasty" });
    expect(record.failureCount).toBeGreaterThan(0);
    expect(await app.effects("shipping", "late")).toHaveLength(1);
  },
  TIMEOUT_MS,
);

test.concurrent(
  "[agents | a step's call | service rejects permanently] what was done is compensated, in reverse; the client receives Compensated",
  async () => {
    await through("rejected", "shipping", { kind: "reject" }, { end: compensated });
  },
  TIMEOUT_MS,
);

test.concurrent(
  "[agents | a step's call | service leaves a try unanswered, rejects the next permanently, and then performs the first] the rejected step is compensated too, by its key: nothing is left",
  async ({ expect }) => {
    await app.switchOn("shipping", { kind: "reject", calls: 1, match: { orderId: "outcomeUnknown" } });
    const record = await through(
      "outcomeUnknown",
      "shipping",
      { kind: "slow", delayMs: 3000, calls: 1 },
      { end: compensated },
    );
    expect(record.steps["arrangeShipping"]).toMatchObject({ outcomeUnknown: true, state: "Compensated" });
    const begun = Date.parse(record.steps["arrangeShipping"]?.startedAt ?? "");
    await sleep(begun + 4000 - Date.now());
    expect(await app.effects("shipping", "outcomeUnknown")).toEqual([]);
  },
  TIMEOUT_MS,
);

test.concurrent(
  "[agents | the effect has happened | answer of the service lost] the next try has the same key: one effect",
  async ({ expect }) => {
    await through("lost", "payment", { kind: "loseReply", calls: 2 });
    const effects = await app.effects("payment", "lost");
    expect(effects.map(({ calls }) => calls).reduce((sum, calls) => sum + calls, 0)).toBe(4);
  },
  TIMEOUT_MS,
);

test.concurrent(
  "[agents | a compensation's effect has happened | answer of the service lost] the next try has the same key: compensated once",
  async () => {
    await app.switchOn("payment", {
      kind: "loseReply",
      path: "/charges/*/void",
      calls: 2,
      match: { orderId: "lost-void" },
    });
    await through("lost-void", "shipping", { kind: "reject" }, { end: compensated });
  },
  TIMEOUT_MS,
);

test.concurrent(
  "[agents over queues | the effect has happened | the agent replies twice] the first reply is recorded, the second changes nothing",
  async ({ expect }) => {
    await app.submit(["twice"]);
    await app.allEnd(["twice"]);
    const [before] = await app.records.of(["twice"]);
    const ticket = {
      jobId: "twice",
      attempt: 1,
      step: "checkFraud",
      direction: "forward",
      lockedBy: "twice-1@JobScheduler",
    };
    const sender = app.bus.createSender("agent-replies");
    const reply = { body: { ticket, kind: "done", result: { checkId: "another" } } };
    await sender.sendMessages([reply, reply]);
    await sender.close();
    await expect.poll(async () => (await messagesIn(app.bus, "agent-replies")).length).toBe(0);
    expect((await app.records.of(["twice"]))[0]?.steps).toEqual(before?.steps);
    await app.allEnd(["twice"]);
  },
  TIMEOUT_MS,
);

// These befall every order that is under way, so they come one after the other.
test.each([
  [
    "[agents | a step's call | service half-open for 3 s, nothing answered] each try times out, and the next one succeeds",
    "half-open",
    () => app.remote("shipping").during({ kind: "halfOpen" }, () => submitted("half-open", 3000)),
  ],
  [
    "[agents | a step's call | no process listens at the service's address for 3 s] rejected connections are tried again inside the step's time",
    "unheard",
    () => app.remote("shipping").during({ kind: "down" }, () => submitted("unheard", 3000)),
  ],
  [
    "[agents | a step's call | every answer cut in the middle, for 2 s] an incomplete answer is no answer: called again with the same key",
    "cut",
    () => app.remote("shipping").during({ kind: "cutAfter", bytes: 40 }, () => submitted("cut", 2000)),
  ],
] as const)(
  "%s",
  async (_, name, fault) => {
    await fault();
    await app.allEnd([`${name}-0`, `${name}-1`, `${name}-2`]);
    expect(await app.effects("shipping", `${name}-0`)).toHaveLength(1);
  },
  TIMEOUT_MS,
);

async function submitted(name: string, ms: number): Promise<void> {
  await app.submit([0, 1, 2].map((index) => `${name}-${index}`));
  await sleep(ms);
}
