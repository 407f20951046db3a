// The engine's rules, as Microsoft's engine has them, one row a rule. Each was seen on the real host (host 4.1037, Durable extension
// 2.13.7, Node worker, Azurite), with these orchestrators or ones like them.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WEBHOOK_PREFIX } from "./client-binding.ts";
import { type Bench, type BenchOptions, openBench } from "./harness.ts";

const APP = join(import.meta.dirname, "fixtures/rules");
const WITHIN_MS = 20_000;

interface Shared {
  readonly calls: Map<string, number>;
  readonly gates: Map<string, Promise<void>>;
}
const here = globalThis as unknown as { durableRules?: Shared };
here.durableRules ??= { calls: new Map(), gates: new Map() };
const { calls, gates } = here.durableRules;

interface Run {
  readonly bench: Bench;
  readonly id: string;
  /** Ends the activity that was called by the instance's id, which has waited until now. */
  readonly open: () => void;
  readonly status: () => ReturnType<Bench["client"]["getStatus"]>;
  readonly when: (customStatus: string) => Promise<unknown>;
  readonly raise: (value: unknown) => Promise<unknown>;
  readonly ended: () => ReturnType<Bench["ended"]>;
}

interface Rule {
  readonly rule: string;
  readonly orchestrator: string;
  readonly input?: unknown;
  readonly holds: (run: Run) => Promise<void>;
}

const RULES: readonly Rule[] = [
  {
    rule: "an open activity keeps its orchestration Running, without output, and its id taken",
    orchestrator: "leavesActivity",
    async holds({ bench, id, when, status, open, ended }) {
      await when("left");
      expect(await status()).toMatchObject({ runtimeStatus: "Running", output: null });
      await expect(bench.client.startNew("leavesActivity", { instanceId: id })).rejects.toThrow();
      open();
      expect(await ended()).toMatchObject({ runtimeStatus: "Completed", output: "late" });
    },
  },
  {
    rule: "an open activity keeps a failed orchestration Running",
    orchestrator: "leavesActivityAndFails",
    async holds({ when, status, open, ended }) {
      await when("left");
      expect(await status()).toMatchObject({ runtimeStatus: "Running", output: null });
      open();
      const output = "Orchestrator function 'leavesActivityAndFails' failed: told to";
      expect(await ended()).toMatchObject({ runtimeStatus: "Failed", output });
    },
  },
  {
    rule: "an open activity delays continueAsNew, and events that come meanwhile are the next generation's",
    orchestrator: "leavesActivityAndGoesOnAsNew",
    async holds({ when, status, open, raise, bench, id, ended }) {
      await when("left");
      expect((await status()).input).not.toEqual({ again: true });
      await bench.client.raiseEvent(id, "go", "early");
      await raise("nobody waits");
      open();
      expect(await ended()).toMatchObject({ input: { again: true }, output: "early" });
    },
  },
  {
    rule: "a pending timer keeps its orchestration Running until it fires",
    orchestrator: "leavesTimer",
    async holds({ open, when, status, ended }) {
      open();
      await when("left");
      expect(await status()).toMatchObject({ runtimeStatus: "Running", output: null });
      const { createdTime, lastUpdatedTime } = await ended();
      // Up to a second early on Azure Storage.
      expect(lastUpdatedTime.getTime() - createdTime.getTime()).toBeGreaterThanOrEqual(2000);
    },
  },
  {
    rule: "an open sub-orchestration keeps its parent Running",
    orchestrator: "leavesSubOrchestration",
    async holds({ when, status, open, ended }) {
      await when("left");
      expect(await status()).toMatchObject({ runtimeStatus: "Running", output: null });
      open();
      expect(await ended()).toMatchObject({ runtimeStatus: "Completed", output: "left" });
    },
  },
  {
    rule: "terminating ends at once, whatever is open",
    orchestrator: "leavesActivity",
    async holds({ bench, id, when, open, ended }) {
      await when("left");
      await bench.client.terminate(id, "enough");
      expect(await ended()).toMatchObject({ runtimeStatus: "Terminated", output: "enough" });
      open();
    },
  },
  {
    rule: "a cancelled timer keeps nothing",
    orchestrator: "cancelsTimer",
    async holds({ open, ended }) {
      open();
      expect(await ended()).toMatchObject({ runtimeStatus: "Completed", output: "early" });
    },
  },
  {
    rule: "cancelling a completed timer throws",
    orchestrator: "cancelsCompletedTimer",
    async holds({ ended }) {
      expect((await ended()).output).toBe("Cannot cancel a completed task.");
    },
  },
  {
    rule: "a cancelled timer fires all the same, and is then completed",
    orchestrator: "watchesCancelledTimer",
    async holds({ open, ended }) {
      open();
      expect((await ended()).output).toEqual({ before: false, after: true });
    },
  },
  {
    rule: "a retry that has retried, in one composite with a timer that is cancelled, is non-deterministic",
    orchestrator: "retriesBesideTimer",
    input: { call: 3, cancels: true },
    async holds({ ended }) {
      const { runtimeStatus, output } = await ended();
      expect(runtimeStatus).toBe("Failed");
      expect(output).toMatch(/Non-deterministic.*task 2 was a timer and is now activity "gated".*WithRetry/);
    },
  },
  {
    rule: "a retry that needed one attempt, beside a timer that is cancelled, passes",
    orchestrator: "retriesBesideTimer",
    input: { call: 1, cancels: true },
    async holds({ id, ended }) {
      expect(await ended()).toMatchObject({ runtimeStatus: "Completed", output: `${id}-after` });
    },
  },
  {
    rule: "a retry beside a timer that is left to fire passes",
    orchestrator: "retriesBesideTimer",
    input: { call: 3, cancels: false },
    async holds({ id, ended }) {
      expect(await ended()).toMatchObject({ runtimeStatus: "Completed", output: `${id}-after` });
    },
  },
  ...["retriesAfterCancelledTimer", "retriesAndGivesUp"].map((orchestrator) => ({
    rule: `a retry that begins after the cancelling passes: ${orchestrator}`,
    orchestrator,
    async holds({ id, ended }: Run) {
      expect(await ended()).toMatchObject({ runtimeStatus: "Completed", output: `${id}-after` });
    },
  })),
  {
    rule: "a stale waiter swallows an event that comes while nothing fresh waits",
    orchestrator: "waitsInVain",
    async holds({ when, raise, open, ended }) {
      await when("stale");
      await raise("one");
      open();
      expect((await ended()).output).toEqual({ stale: "one", fresh: null });
    },
  },
  {
    rule: "of two waiters the fresh one hears the event",
    orchestrator: "waitsAfresh",
    async holds({ when, raise, ended }) {
      await when("fresh");
      await raise("one");
      expect((await ended()).output).toEqual({ stale: false, fresh: "one" });
    },
  },
  {
    rule: "events of one name that come early are kept in their order",
    orchestrator: "takesTwenty",
    async holds({ raise, open, ended }) {
      const values = Array.from({ length: 20 }, (_, n) => n);
      for (const value of values) await raise(value);
      open();
      expect((await ended()).output).toEqual(values);
    },
  },
  {
    rule: "an event for an ended instance is accepted and ignored, for an unknown one refused",
    orchestrator: "cancelsTimer",
    async holds({ bench, open, raise, ended, status }) {
      open();
      const before = await ended();
      await raise("late");
      expect(await status()).toEqual(before);
      await expect(bench.client.raiseEvent("nobody", "news", 1)).rejects.toThrow("No instance with ID 'nobody' found.");
    },
  },
  {
    rule: "the id of an ended instance starts it anew",
    orchestrator: "neverYields",
    async holds({ bench, id, open, ended }) {
      open();
      await ended();
      await bench.client.startNew("neverYields", { instanceId: id });
      await until(() => calls.get(id) === 2);
      expect((await ended()).output).toBe(id);
    },
  },
  {
    rule: "a task that is never yielded never runs",
    orchestrator: "neverYields",
    async holds({ id, open, ended }) {
      open();
      expect(await ended()).toMatchObject({ output: id });
      expect(calls.get(`${id}-unseen`)).toBeUndefined();
    },
  },
  {
    rule: "a pending task in a second and third composite runs again, and the orchestration never ends",
    orchestrator: "reuses",
    async holds({ bench, id, open, raise, status, ended }) {
      // The first call's answer has to come first: the library takes the second's for that of another task, and ends with the first.
      const laterCalls = Promise.withResolvers<void>();
      await until(() => calls.get(id) === 1);
      gates.set(id, laterCalls.promise);
      await raise("goes on");
      await until(() => calls.get(id) === 2);
      open();
      await until(() => calls.get(id) === 3);
      laterCalls.resolve();
      // Those three, and the other activity of the second composite: nothing is open.
      await until(async () => (await answersTaken(bench, id)) === 4);
      expect(await status()).toMatchObject({ runtimeStatus: "Running" });
      expect(bench.warnings.some((line) => line.includes(id) && line.includes("scheduled AGAIN"))).toBe(true);
      await bench.client.terminate(id, "enough");
      await ended();
    },
  },
];

/** How many answers of activities the orchestrator was handed. The client library does not show the history. */
async function answersTaken({ baseUrl }: Bench, id: string): Promise<number> {
  const url = `${baseUrl}${WEBHOOK_PREFIX}instances/${encodeURIComponent(id)}?showHistory=true`;
  const { historyEvents } = (await (await fetch(url)).json()) as { historyEvents: { EventType: string }[] };
  return historyEvents.filter(({ EventType }) => EventType === "TaskCompleted").length;
}

/** `expect.poll` does not know its test where several run at once. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WITHIN_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It does not hold after ${WITHIN_MS} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const ENGINES: readonly { readonly engine: string; readonly options: BenchOptions }[] = [
  { engine: "fast", options: {} },
  { engine: "fast, replaying", options: { replay: true } },
  { engine: "azure-storage", options: { engine: "azure-storage", storage: { maxQueuePollingIntervalMs: 1000 } } },
];

describe.each(ENGINES)("the engine's rules: $engine", ({ engine, options }) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(APP, options);
  });
  afterAll(() => bench.close());

  test.concurrent.each(RULES)("$rule", async ({ orchestrator, input, holds, rule }) => {
    const id = `${engine} ${RULES.findIndex((each) => each.rule === rule)}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    gates.set(id, promise);
    const { client } = bench;
    await client.startNew(orchestrator, { instanceId: id, input });
    await holds({
      bench,
      id,
      open: resolve,
      status: () => client.getStatus(id),
      when: (customStatus) => until(async () => (await client.getStatus(id)).customStatus === customStatus),
      raise: (value) => client.raiseEvent(id, "news", value),
      ended: () => bench.ended(id, WITHIN_MS),
    });
  });
});
