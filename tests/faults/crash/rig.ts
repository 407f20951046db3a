// An order stack whose host dies at an armed point and is started again; and the hand that a scenario is driven with.
import { setTimeout as sleep } from "node:timers/promises";
import { contentDigest } from "@scheduler-agent-supervisor/core/agents";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { ActionName } from "@scheduler-agent-supervisor/core/messaging";
import { completionUrl } from "@scheduler-agent-supervisor/core/scheduling";
import type { Topology } from "@scheduler-agent-supervisor/local";
import { FAULT_HEADERS } from "@scheduler-agent-supervisor/local/remotes";
import type { ServiceFault } from "@scheduler-agent-supervisor/testing";
import { type Rig, startRig } from "@scheduler-agent-supervisor/testing/faults";
import { type OrderMessage, USUAL_WORKFLOW } from "../../../shared/contracts/order.ts";
import { adaptApp, bookAtMostOnce } from "../../support/adapted-app.ts";
import { madeOrder } from "../../support/made-order.ts";
import { messagesIn } from "../../support/queue-contents.ts";
import { shortLocks } from "../../support/short-locks.ts";
import { shortVisibility } from "../../support/short-visibility.ts";
import { STALE_READS_MS } from "../../support/stale-reads.ts";
import { containerOf } from "../../support/store.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";
import { workflows } from "../workflows.ts";

const LIFE_MS = 180_000;
const AGAIN_MS = 100;

export type OrderRig = Rig<TestStack>;

export function startOrderRig(topology: Topology): Promise<OrderRig> {
  return startRig(async ({ folder, settings, ...ends }) => {
    const adapted = adaptApp(workflows);
    bookAtMostOnce(adapted);
    shortVisibility(adapted.dir);
    const app = await startTestStack({
      topology,
      appDir: adapted.dir,
      queuesFile: shortLocks(folder),
      appSettings: settings,
      longestPauseMs: 100,
      staleReadsMs: STALE_READS_MS,
      ...ends,
    });
    return {
      ...app,
      async [Symbol.asyncDispose]() {
        await app[Symbol.asyncDispose]();
        adapted[Symbol.dispose]();
      },
    };
  });
}

/** What a scenario can do, through any number of deaths of the host. */
export class Hand {
  readonly #app: TestStack;
  readonly orderId: string;

  constructor(app: TestStack, orderId: string) {
    this.#app = app;
    this.orderId = orderId;
  }

  get order(): OrderMessage {
    return madeOrder(this.orderId);
  }

  async send(changes: Partial<OrderMessage> & Record<string, unknown> = {}): Promise<void> {
    await this.#app.shop.send({ ...this.order, ...changes });
  }

  until(holds: (record: StateRecord) => boolean): Promise<StateRecord> {
    return this.#app.eventually(this.orderId, holds, LIFE_MS);
  }

  /** @returns how to lift it. */
  async fault(service: string, fault: ServiceFault): Promise<() => Promise<void>> {
    const url = `${this.#app.stack.addresses.remotes[service]}/$faults`;
    const response = await fetch(url, {
      method: "POST",
      headers: FAULT_HEADERS,
      body: JSON.stringify({ ...fault, match: { orderId: this.orderId } }),
    });
    const { id } = (await response.json()) as { id: string };
    return async () => void (await fetch(`${url}/${id}`, { method: "DELETE", headers: FAULT_HEADERS }));
  }

  /** Asks until the host has answered with one of these. */
  async ask(method: "GET" | "POST", path: string, body: unknown, ...accepted: number[]): Promise<void> {
    const giveUpAt = Date.now() + LIFE_MS;
    for (let answer = ""; ; await sleep(AGAIN_MS)) {
      try {
        const response = await this.#app.call(path, {
          method,
          ...(method === "POST" && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
        });
        answer = `${response.status} ${await response.text()}`;
        if (accepted.includes(response.status)) return;
      } catch (cause) {
        answer = String(cause);
      }
      if (Date.now() > giveUpAt) throw new Error(`${method} ${path} was last answered ${answer}`);
    }
  }

  /** What an operator asks; done before, where the host died with the answer. */
  operate(action: ActionName, body: Record<string, unknown> = {}): Promise<void> {
    return this.ask("POST", `api/jobs/${this.orderId}/${action}`, { reason: "a test", ...body }, 200, 409);
  }

  /** As whoever does a step later, by the address that it was given. */
  async report(step: string, body: Record<string, unknown>): Promise<void> {
    const { orderId } = this;
    const { steps, lockedBy } = await this.until((record) => record.steps[step]?.nonce !== undefined);
    const { attempt = 0, nonce } = steps[step] ?? {};
    const ticket = { jobId: orderId, attempt, step, direction: "forward", lockedBy: lockedBy ?? "", nonce } as const;
    // 409: its progress, once the report of its end was taken.
    await this.ask("POST", new URL(completionUrl("http://app", ticket)).pathname.slice(1), body, 200, 409);
  }

  /** As its requester. @param changes as it was sent */
  cancel(changes: Partial<OrderMessage> = {}): Promise<void> {
    const digest = contentDigest({ ...this.order, ...changes }, USUAL_WORKFLOW);
    return this.message("jobs", { kind: "Cancel", jobId: this.orderId, contentDigest: digest });
  }

  async message(queue: string, body: unknown): Promise<void> {
    const sender = this.#app.bus.createSender(queue);
    await sender.sendMessages({ body });
    await sender.close();
  }

  /** Has the sweep look at the record now, and not when an outbox message's time is over. */
  async hurry(): Promise<void> {
    const path = "/dueAt";
    const operations = [{ op: "set" as const, path, value: new Date().toISOString() }];
    const condition = "from c where IS_DEFINED(c.dueAt) and IS_DEFINED(c.outbox[0])";
    await containerOf(this.#app.settings)
      .item("state", this.orderId)
      .patch({ condition, operations })
      .catch(() => undefined);
  }

  async quarantined(): Promise<number> {
    const found = await messagesIn(this.#app.bus, "quarantine");
    return found.filter(({ body }) => JSON.stringify(body).includes(this.orderId)).length;
  }
}
