// The app as Flex Consumption runs it: each Service Bus function, each timer, the HTTP functions and the durable ones in processes of
// their own, some of them in two.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import type { InstanceName } from "@scheduler-agent-supervisor/local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSamples } from "../../cli/common/samples.ts";
import { endedAsExpected, follow } from "../../cli/start/follow.ts";
import { sendSamples, switchOnFaults } from "../../cli/start/send-samples.ts";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import { answersToForeign, canListPorts, listeningPorts } from "../support/listening-ports.ts";
import { madeOrder } from "../support/made-order.ts";
import { CHAIN, GRAPH } from "../support/orders.ts";
import { shortLocks } from "../support/short-locks.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const START_WITHIN_MS = 360_000;
const ORDERS = 50;
/** The eight samples: how long a service is down that has to be down for longer than a step may take. */
const DOWN_MS = 25_000;
const SAMPLES_END_WITHIN_MS = 90_000;
const ALL_END_WITHIN_MS = 90_000;
const GROUPS = [
  ...["durable", "durable.2", "agentReplies", "fraudQueueAgent", "gauges", "housekeeping", "http"],
  ...["replacementReplies", "startAttempt", "submission", "submission.2", "submissionPriority", "supervisor"],
];

/** One step, over a queue; a single failure would end it. */
const QUICK: Workflow = {
  name: "quick",
  version: 1,
  policy: { failureThreshold: 1, waits: [], onExhausted: "fail", onRejected: "fail" },
  steps: [
    {
      name: "check",
      agent: "fraud",
      operation: "check",
      transport: "queue",
      after: [],
      completeWithin: "PT2S",
      compensation: "nothing",
    },
  ],
};
/** Longer than that step has. */
const COLD_START_MS = 4000;

const folder = mkdtempSync(join(tmpdir(), "flex-"));
let adapted: AdaptedApp;
let app: TestStack;
let portsBefore: ReadonlySet<number>;
beforeAll(async () => {
  portsBefore = canListPorts ? listeningPorts() : new Set();
  adapted = adaptApp([CHAIN, GRAPH, QUICK]);
  app = await startTestStack({
    appDir: adapted.dir,
    topology: "flex",
    instanceCounts: { submission: 2, durable: 2 },
    longestPauseMs: 200,
    queuesFile: shortLocks(folder),
  });
}, START_WITHIN_MS);
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const pidOf = (name: InstanceName) => app.stack.instances.find((one) => one.name === name)?.pid;

test("eleven groups scale by themselves, as the cost of zones says", () => {
  expect(new Set(GROUPS.map((name) => name.replace(/\.\d$/, ""))).size).toBe(11);
});

test("each group of functions has processes of its own", () => {
  const { instances } = app.stack;
  expect(instances.map(({ name }) => name)).toEqual(GROUPS.map((name) => `host/${name}`));
  expect(instances.every(({ isReady }) => isReady)).toBe(true);
  expect(new Set(instances.map(({ pid }) => pid)).size).toBe(GROUPS.length);
});

test(
  "all samples end as they have to",
  async () => {
    const samples = readSamples("flex").map((sample) => ({
      ...sample,
      faults: sample.faults.map(({ service, fault }) => ({
        service,
        fault: "forMs" in fault ? { ...fault, forMs: DOWN_MS } : fault,
      })),
    }));
    await switchOnFaults(samples, app.stack.addresses.remotes);
    const sent = await sendSamples(samples, app.shop, app.records);
    const board = { show: () => undefined };
    const signal = new AbortController().signal;
    const ended = await follow(sent, app.records, board, SAMPLES_END_WITHIN_MS, signal);
    const wrong = ended.filter((one) => !endedAsExpected(one));
    expect(wrong.map(({ followed, ending, attempts }) => `${followed.orderId}: ${ending}, ${attempts}`)).toEqual([]);
    expect(ended).toHaveLength(14);
  },
  SAMPLES_END_WITHIN_MS + 10_000,
);

test("P26 a queue step outlasts cold starts: of its agent and of the function that takes replies, each longer than the step's time", async () => {
  const cold = ["host/fraudQueueAgent", "host/agentReplies"] as const;
  for (const name of cold) await app.stack.kill(name, "SIGSTOP");
  await app.shop.send({ ...madeOrder("cold-1"), workflow: QUICK.name });
  for (const name of cold) {
    await app.eventually("cold-1", ({ steps }) => steps["check"]?.state === "Scheduled");
    await sleep(COLD_START_MS);
    await app.stack.kill(name, "SIGCONT");
  }
  const record = await app.eventually("cold-1", ({ processState }) => processState === "Processed");
  expect(record).toMatchObject({ attempt: 1, failureCount: 0, steps: { check: { retryCount: 0 } } });
});

test(
  "P16 kill -9 one process after the other in the middle of 50 orders: the others stay, all end Processed, one effect a step",
  async () => {
    for (const service of ["inventory", "payment", "fraud", "shipping"]) {
      await app.switchOn(service, { kind: "slow", delayMs: 150, calls: ORDERS });
    }
    const orderIds = Array.from({ length: ORDERS }, (_, index) => `flex-${index}`);
    await Promise.all(orderIds.map((orderId) => app.shop.send(madeOrder(orderId))));
    const records = () => app.records.of(orderIds);
    await expect.poll(async () => (await records()).length, { interval: 20 }).toBeGreaterThan(5);

    const untouched = GROUPS.filter((name) => ["http", "gauges", "submissionPriority"].includes(name));
    const before = untouched.map((name) => pidOf(`host/${name}`));
    for (const name of [
      "submission",
      "durable",
      "fraudQueueAgent",
      "durable.2",
      "agentReplies",
      "supervisor",
    ] as const) {
      const pid = pidOf(`host/${name}`);
      await app.stack.kill(`host/${name}`, "SIGKILL");
      await app.stack.restart(`host/${name}`);
      expect(pidOf(`host/${name}`), name).not.toBe(pid);
    }
    expect(untouched.map((name) => pidOf(`host/${name}`))).toEqual(before);

    const processed = async () => (await records()).filter(({ processState }) => processState === "Processed").length;
    await expect.poll(processed, { timeout: ALL_END_WITHIN_MS }).toBe(ORDERS);
    for (const [service, steps] of Object.entries({ inventory: 1, payment: 2, fraud: 1, shipping: 1 })) {
      const effects = (await app.effects(service)).filter(({ key }) => /^flex-\d/.test(key));
      expect(effects, service).toHaveLength(ORDERS * steps);
      expect(new Set(effects.map(({ key }) => key)).size, service).toBe(ORDERS * steps);
    }
  },
  2 * ALL_END_WITHIN_MS,
);

test("an operator's calls are answered where the app answers, also while another group's process is away", async () => {
  await app.stack.kill("host/submission", "SIGKILL");
  const response = await app.call("api/jobs/flex-0");
  expect(response.status).toBe(200);
  await app.stack.kill("host/http", "SIGKILL");
  expect((await app.call("api/jobs/flex-0")).status).toBe(200);
  expect((await app.call("runtime/webhooks/durabletask/instances/flex-0-1")).status).toBe(200);
});

test.runIf(canListPorts)("every port that speaks HTTP rejects what is foreign, that of each process too", async () => {
  for (const name of GROUPS) await app.stack.restart(`host/${name}`);
  const { http, faults } = await answersToForeign([...listeningPorts()].filter((port) => !portsBefore.has(port)));
  expect(faults).toEqual([]);
  // The router and each process, the store, the bus's administration and four services.
  expect(http.length).toBeGreaterThanOrEqual(GROUPS.length + 7);
});

test("no process is left after the stack has stopped", async () => {
  const pids = [...app.stack.instances, ...app.stack.processes].map(({ pid }) => pid);
  await app.stack.stop();
  expect(pids.filter(isAlive)).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}
