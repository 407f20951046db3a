// The parent's side of an engine: starts its process, sends it orders and measures what they cost.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Stack, startStack } from "@scheduler-agent-supervisor/local/stack/stack";
import { type MadeJob, makeOrders } from "../../cli/common/shop.ts";
import { REMOTES_FILE } from "../bench-stack.ts";
import { cpuMsOfTree } from "../measure.ts";
import type { EngineMessage, PeerOrder } from "./engine.ts";
import type { PeerName } from "./engines.ts";
import { missingOf } from "./installed.ts";
import { type Load, type Measured, type RunningTarget, resultOf, Unavailable } from "./target.ts";

/** Orders on their way at once: as the app's sender; where the answer is the end, an order is on its way until then. */
const SENT_AT_ONCE = { message: 64, answer: 256 } as const;
const NOTHING_ENDS_LIMIT_MS = 120_000;

/**
 * Starts an engine on an empty store, beside services of its own.
 * @throws Unavailable if a package of the engine is not here
 */
export async function startPeer(engine: PeerName, data: string): Promise<RunningTarget> {
  const missing = missingOf(engine);
  if (missing.length > 0)
    throw new Unavailable(`not installed: ${missing.join(", ")} (npm ci in bench/peers; on Linux, x64 or arm64)`);
  const services = await startStack({
    // Nothing is loaded from it: the services alone run.
    ...{ appDir: data, data: join(data, "services"), host: false },
    ...{ parts: ["remotes"], ports: "free", durability: "full", remotesFile: REMOTES_FILE },
  });
  try {
    const process = await startProcess(engine, join(data, engine), services);
    return {
      versions: process.versions,
      measure: (variant, load) => process.measure(variant.statusWrites, load),
      async stop() {
        await process.stop();
        await services.stop();
      },
    };
  } catch (cause) {
    await services.stop();
    throw cause;
  }
}

async function startProcess(engine: string, data: string, { addresses: { remotes } }: Stack) {
  mkdirSync(data, { recursive: true });
  const settings = { data, remotes: ["inventory", "payment", "shipping"].map((name) => remotes[name] ?? "") };
  const child = fork(join(import.meta.dirname, "engines", `${engine}.ts`), [JSON.stringify(settings)], {
    env: { ...process.env, NODE_ENV: "production", RESTATE_LOGGING: "WARN" },
  });
  const exited = once(child, "exit");
  const failed = exited.then(([code, signal]) => Promise.reject(new Error(`${engine} ended with ${code ?? signal}`)));
  failed.catch(() => undefined);
  const [message] = (await Promise.race([once(child, "message"), failed])) as [EngineMessage];
  if (message.kind !== "ready") {
    await exited;
    throw new Error(message.kind === "failed" ? message.reason : `${engine} ended an order before it was ready`);
  }
  const { url, end, versions } = message;
  const run = async (statusWrites: boolean, load: Load): Promise<Measured> => {
    const cpuBefore = cpuMsOfTree(child.pid ?? 0);
    const ends = new Ends(load.orders);
    const onMessage = (said: EngineMessage) => said.kind === "ended" && ends.add(said.orderId, said.failed);
    child.on("message", onMessage);
    try {
      const sent = makeOrders(load.orders, load.rate, SENT_AT_ONCE[end], async (order) => {
        ends.begin(order.id);
        const isOk = await send(url, order, statusWrites);
        if (end === "answer") ends.add(order.id, !isOk);
        else if (!isOk) throw new Error(`${engine} did not take order ${order.id}`);
      });
      await Promise.race([Promise.all([sent, ends.all]), ends.stuck, failed]);
    } finally {
      child.off("message", onMessage);
      ends.close();
    }
    return resultOf({ ...ends.result, cpuMs: cpuMsOfTree(child.pid ?? 0) - cpuBefore, orders: load.orders });
  };
  return {
    versions,
    measure: run,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

async function send(url: string, { id, content }: MadeJob, statusWrites: boolean): Promise<boolean> {
  const order: PeerOrder = { orderId: id, statusWrites, content };
  const response = await fetch(`${url}/${id}/run`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(order),
  });
  await response.arrayBuffer();
  return response.ok;
}

/** When each order began and ended. An end may be heard of before the answer that it was stored. */
class Ends {
  readonly #orders: number;
  readonly #begunAt = new Map<string, number>();
  readonly #latenciesMs: number[] = [];
  readonly #all = Promise.withResolvers<void>();
  readonly #stuck = Promise.withResolvers<never>();
  readonly #begun = performance.now();
  #lastAt = 0;
  #failed = 0;
  #quiet: NodeJS.Timeout;

  constructor(orders: number) {
    this.#orders = orders;
    this.#stuck.promise.catch(() => undefined);
    this.#quiet = this.#limit();
  }

  get all(): Promise<void> {
    return this.#all.promise;
  }

  /** Rejects when nothing has ended for two minutes. */
  get stuck(): Promise<never> {
    return this.#stuck.promise;
  }

  get result() {
    const seconds = (this.#lastAt - this.#begun) / 1000;
    return { seconds, latenciesMs: this.#latenciesMs, failed: this.#failed };
  }

  begin(orderId: string): void {
    this.#begunAt.set(orderId, performance.now());
  }

  add(orderId: string, failed: boolean): void {
    const at = this.#begunAt.get(orderId);
    if (at === undefined) return;
    this.#begunAt.delete(orderId);
    this.#lastAt = performance.now();
    this.#latenciesMs.push(this.#lastAt - at);
    if (failed) this.#failed += 1;
    clearTimeout(this.#quiet);
    this.#quiet = this.#limit();
    if (this.#latenciesMs.length === this.#orders) this.#all.resolve();
  }

  close(): void {
    clearTimeout(this.#quiet);
  }

  #limit(): NodeJS.Timeout {
    const reason = () => `nothing has ended for ${NOTHING_ENDS_LIMIT_MS} ms, ${this.#latenciesMs.length} orders before`;
    return setTimeout(() => this.#stuck.reject(new Error(reason())), NOTHING_ENDS_LIMIT_MS);
  }
}
