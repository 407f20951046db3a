// The child's side of an engine: a process that starts the engine, takes orders over HTTP and says which have ended.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { call } from "../order-requests.ts";

export interface EngineSettings {
  /** An empty folder, on the same disk as those of the others. */
  readonly data: string;
  /** The URLs of the three services, in the order of the steps. */
  readonly remotes: readonly string[];
}

export interface PeerOrder {
  readonly orderId: string;
  readonly statusWrites: boolean;
  /** What the app gets of an order too. */
  readonly content: object;
}

export interface RunningEngine {
  /** An order is sent to `URL/ORDER/run`. */
  readonly url: string;
  /** `answer`: the answer comes when the order has ended; `message`: when it is stored, and a message says the end. */
  readonly end: "answer" | "message";
  readonly versions: readonly string[];
  stop(): Promise<void>;
}

/** What the parent gets over IPC. */
export type EngineMessage =
  | { readonly kind: "ready"; readonly url: string; readonly end: RunningEngine["end"]; readonly versions: string[] }
  | { readonly kind: "ended"; readonly orderId: string; readonly failed: boolean }
  | { readonly kind: "failed"; readonly reason: string };

export type Report = (orderId: string, failed: boolean) => void;

/** The engine's own part of an order. */
export interface DurableOrder {
  /** Runs once, and its result is stored before the next. */
  step(name: string, run: () => Promise<object>): Promise<unknown>;
  /** Stored where a client can read it. */
  status(status: string, at: number): Promise<unknown>;
}

/** Steps of all orders that run at one time, as in the app's host.json. */
export const ORDERS_AT_ONCE = 64;
const STEPS = ["reserveStock", "takePayment", "arrangeShipping"] as const;

/** Ends with the process that forked it, and its server before it. */
export async function runEngine(start: (settings: EngineSettings, report: Report) => Promise<RunningEngine>) {
  const send = (message: EngineMessage) => process.send?.(message);
  let running: RunningEngine | undefined;
  process.on("disconnect", () => void Promise.resolve(running?.stop()).finally(() => process.exit()));
  try {
    const settings = JSON.parse(process.argv[2] ?? "{}") as EngineSettings;
    running = await start(settings, (orderId, failed) => send({ kind: "ended", orderId, failed }));
    const { url, end, versions } = running;
    send({ kind: "ready", url, end, versions: [...versions, `Node.js ${process.version}`] });
  } catch (cause) {
    console.error(cause);
    send({ kind: "failed", reason: cause instanceof Error ? cause.message : String(cause) });
    process.disconnect();
  }
}

/** The three calls that every engine makes, each with its key, and the five moments that the app sends statuses at. */
export async function workThrough(
  { orderId, statusWrites }: PeerOrder,
  remotes: readonly string[],
  durable: DurableOrder,
): Promise<void> {
  let written = 0;
  const status = async (status: string) => {
    if (statusWrites) await durable.status(status, written++);
  };
  await status("Received");
  for (const [at, name] of STEPS.entries()) {
    await status(at === 0 ? "Started" : `${STEPS[at - 1]} completed`);
    await durable.step(name, async () => {
      await call({ remotes }, orderId, at);
      return { id: `${name}-${orderId}` };
    });
  }
  await status("Completed");
}

/** For an engine without an HTTP server of its own. An order is answered when `accept` has stored it. */
export async function serveOrders(accept: (order: PeerOrder) => Promise<unknown>): Promise<string> {
  const server = createServer(async (request, response) => {
    try {
      await accept(JSON.parse(await text(request)) as PeerOrder);
      response.writeHead(202).end();
    } catch (cause) {
      response.writeHead(500).end(cause instanceof Error ? cause.message : String(cause));
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/order`;
}
