// A random walk of the whole stack: orders go through while processes die, freeze and services fail, by a seed.
import { setTimeout as sleep } from "node:timers/promises";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import type { StackOptions, Topology } from "@scheduler-agent-supervisor/local";
import { adaptApp } from "../support/adapted-app.ts";
import { FRAUD_WORKER } from "../support/fraud-worker.ts";
import { madeOrder } from "../support/made-order.ts";
import { CHAIN, GRAPH, THREE_STEPS } from "../support/orders.ts";
import { shortVisibility } from "../support/short-visibility.ts";
import { countStaleReads, STALE_READS_MS } from "../support/stale-reads.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { endsOf, faultsOf } from "./oracle.ts";
import { type Action, INSTANCE_COUNTS, inWords, planOf, type Victim } from "./plan.ts";

export interface ChaosReport {
  readonly orders: number;
  readonly actions: number;
  readonly states: { readonly [state: string]: number };
  readonly attempts: number;
  readonly staleReads: number;
  readonly faults: readonly string[];
}

const ORDER_EVERY_MS = 150;
const RESTARTS = 20;
const SETTLE_WITHIN_MS = 180_000;

/** Times that a walk of a minute is long enough for. */
const hurried: Workflow = {
  ...GRAPH,
  policy: { failureThreshold: 3, waits: ["PT2S"], onExhausted: "compensate", onRejected: "compensate" },
  steps: GRAPH.steps.map(({ policy, ...step }) => ({
    ...step,
    completeWithin: "PT4S",
    compensation:
      typeof step.compensation === "string" ? step.compensation : { ...step.compensation, completeWithin: "PT4S" },
  })),
};

/** In the flex topology one host has a dozen processes, which die one by one; in the other there are two hosts. */
const HOSTS: Readonly<Record<Topology, Partial<StackOptions>>> = {
  single: { hosts: 2 },
  flex: { topology: "flex", instanceCounts: INSTANCE_COUNTS, longestPauseMs: 1000 },
};

export async function runChaos(
  seed: number,
  minutes: number,
  topology: Topology,
  say: (line: string) => void,
): Promise<ChaosReport> {
  // In every second run the fraud agent is somebody else's process. In the flex topology the app's own function is one that is killed.
  const hasWorker = topology === "single" && seed % 2 === 1;
  using adapted = adaptApp([THREE_STEPS, CHAIN, hurried], { timing: { claimWithinMs: 8000 }, tryTimeoutMs: 2000 });
  shortVisibility(adapted.dir);
  await using app = await startTestStack({
    appDir: adapted.dir,
    ...(hasWorker && FRAUD_WORKER),
    appSettings: { StartWithin: "PT5S", ...(hasWorker && FRAUD_WORKER.appSettings) },
    staleReadsMs: STALE_READS_MS,
    ...HOSTS[topology],
  });
  const walk = new Walk(app, say);
  const plan = planOf(seed, minutes, topology, hasWorker);
  const orders = walk.sendOrders(seed);
  for (const { afterMs, action } of plan) {
    await sleep(afterMs);
    say(inWords(action));
    await walk.act(action);
  }
  walk.stop();
  await orders;
  say("no more faults: all has to come to its end");
  // Awaited here: the stack ends with this scope.
  return await walk.settle(plan.length);
}

class Walk {
  readonly #app: TestStack;
  readonly #say: (line: string) => void;
  readonly #orderIds: string[] = [];
  /** What is being done to a process; the next waits for it. */
  readonly #busy = new Map<string, Promise<void>>();
  #stopped = false;

  constructor(app: TestStack, say: (line: string) => void) {
    this.#app = app;
    this.#say = say;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** None waits for another: a link that was cut while it signed in comes back after a minute. */
  async sendOrders(seed: number): Promise<void> {
    const sends: Promise<void>[] = [];
    for (let made = 0; !this.#stopped; made += 1) {
      const orderId = `chaos-${seed}-${made}`;
      const priority = made % 5 === 0 ? "high" : "normal";
      const workflow = made % 4 === 0 ? THREE_STEPS.name : "order-fulfilment";
      const sent = this.#send({ ...madeOrder(orderId), priority, workflow }, orderId);
      sends.push(sent.then(() => void this.#orderIds.push(orderId)));
      await sleep(ORDER_EVERY_MS);
    }
    await Promise.all(sends);
  }

  /** A client sends until the broker has it. */
  async #send(order: object, messageId: string): Promise<void> {
    for (;;) {
      try {
        await this.#app.shop.send(order, messageId);
        return;
      } catch {
        await sleep(500);
      }
    }
  }

  async act(action: Action): Promise<void> {
    const { stack } = this.#app;
    switch (action.kind) {
      case "kill":
        return this.#to(action.victim, async () => {
          await stack.kill(action.victim, "SIGKILL");
          await sleep(action.downMs);
          await this.#bringBack(action.victim);
        });
      case "freeze":
        return this.#to(action.victim, async () => {
          await stack.kill(action.victim, "SIGSTOP");
          await sleep(action.forMs);
          await stack.kill(action.victim, "SIGCONT");
        });
      case "recycle":
        return this.#to(action.victim, async () => {
          await stack.kill(action.victim, "SIGTERM");
          await this.#bringBack(action.victim);
        });
      case "fault":
        // The services may be down themselves.
        await this.#app.switchOn(action.service, action.fault).catch(() => undefined);
        return;
      case "operator":
        return this.#operate(action.action, action.pick);
      case "repeat": {
        const orderId = this.#orderIds[action.pick % Math.max(1, this.#orderIds.length)];
        const made = Number(orderId?.split("-").at(-1));
        const order = {
          priority: made % 5 === 0 ? "high" : "normal",
          workflow: made % 4 === 0 ? THREE_STEPS.name : "order-fulfilment",
        };
        if (orderId) void this.#send({ ...madeOrder(orderId), ...order }, `${orderId}-again`);
        return;
      }
      default:
        return action satisfies never;
    }
  }

  /** Not awaited: other things go wrong meanwhile. One process suffers one thing at a time. */
  async #to(victim: Victim, work: () => Promise<void>): Promise<void> {
    // A host that is away has no processes to do anything to.
    const [host = victim] = victim.split("/");
    if (this.#busy.has(victim) || this.#busy.has(host)) return;
    const done = work()
      .catch((cause: unknown) => this.#say(`! ${victim}: ${String(cause)}`))
      .finally(() => this.#busy.delete(victim));
    this.#busy.set(victim, done);
  }

  /** What it needs at its start may be away itself. */
  async #bringBack(victim: Victim): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#app.stack.restart(victim);
      } catch (cause) {
        if (tries === RESTARTS) throw cause;
        await sleep(1000);
      }
    }
  }

  async #operate(action: string, pick: number): Promise<void> {
    const orderId = this.#orderIds[pick % Math.max(1, this.#orderIds.length)];
    const body = action === "extend" ? { reason: "chaos", by: "PT2S" } : { reason: "chaos" };
    await this.#app
      .call(`api/jobs/${orderId}/${action}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(5000),
      })
      .catch(() => undefined);
  }

  async settle(actions: number): Promise<ChaosReport> {
    await Promise.all(this.#busy.values());
    const orderIds = this.#orderIds;
    const begun = Date.now();
    let faults: string[] = [];
    do {
      await sleep(2000);
      const left = await this.#app.records.unfinished();
      if (left.length > 0 && Date.now() - begun < SETTLE_WITHIN_MS) continue;
      faults = await faultsOf(this.#app, orderIds, workflowOf);
      if (faults.length === 0) break;
    } while (Date.now() - begun < SETTLE_WITHIN_MS);
    const records = await this.#app.records.of(orderIds);
    const attempts = records.reduce((sum, { attempt }) => sum + attempt, 0);
    const staleReads = await countStaleReads(this.#app);
    return { orders: orderIds.length, actions, states: endsOf(records), attempts, staleReads, faults };
  }
}

function workflowOf({ workflow }: StateRecord): Workflow | undefined {
  return workflow.name === THREE_STEPS.name ? THREE_STEPS : hurried;
}
