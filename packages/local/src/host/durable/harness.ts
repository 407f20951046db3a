// For tests: an engine on a fixture app behind a real HTTP server, and the unmodified client library in front of it.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DurableClient, DurableOrchestrationStatus } from "durable-functions";
import { loadApp } from "../app/app.ts";
import type { DurableEngine } from "../contract.ts";
import { RPC_PREFIX, WEBHOOK_PREFIX } from "./client-binding.ts";
import { createDurableEngine, type DurableOptions } from "./engine.ts";

const POLL_MS = 5;

export interface Bench {
  readonly engine: DurableEngine;
  readonly client: DurableClient;
  readonly baseUrl: string;
  readonly warnings: string[];
  /** What the app and the library logged. */
  readonly logged: string[];
  /** Waits until the instance has ended. Rejects after `withinMs`. */
  ended(id: string, withinMs?: number): Promise<DurableOrchestrationStatus>;
  /** Starts and waits for the end. */
  run(name: string, input?: unknown, instanceId?: string): Promise<DurableOrchestrationStatus>;
  close(): Promise<void>;
}

export interface BenchOptions extends Partial<DurableOptions> {
  /** A folder that outlives the bench; otherwise one is made and removed. */
  readonly data?: string;
}

export async function openBench(appDir: string, options: BenchOptions = {}): Promise<Bench> {
  const data = options.data ?? mkdtempSync(join(tmpdir(), "durable-"));
  const warnings: string[] = [];
  const logged: string[] = [];
  const app = await loadApp(appDir, { log: ({ message }) => logged.push(message) });
  const engine = createDurableEngine({
    app,
    hubName: "testhub",
    log: ({ message }) => warnings.push(message),
    ...options,
    data,
  });
  const server = await serve(engine);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  engine.start();
  const client = clientOf(engine, baseUrl);

  const ended = async (id: string, withinMs = 5000) => {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const status = await client.getStatus(id);
      if (!["Pending", "Running", "Suspended"].includes(status.runtimeStatus)) return status;
      if (Date.now() > deadline) throw new Error(`${id} is still ${status.runtimeStatus} after ${withinMs} ms.`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  return {
    engine,
    client,
    baseUrl,
    warnings,
    logged,
    ended,
    async run(name, input, instanceId) {
      return ended(await client.startNew(name, { input, ...(instanceId && { instanceId }) }));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await engine.close(200);
      if (options.data === undefined) rmSync(data, { recursive: true });
    },
  };
}

/** The library's client, made as `df.getClient(context)` makes it. */
function clientOf(engine: DurableEngine, baseUrl: string): DurableClient {
  process.env["WEBSITE_HOSTNAME"] = new URL(baseUrl).host;
  const { getClient } = createRequire(import.meta.url)("durable-functions") as {
    getClient(context: object): DurableClient;
  };
  const binding = { type: "durableClient", name: "client" };
  const extraInputs = new Map([[binding, JSON.parse(engine.clientBinding(baseUrl)) as unknown]]);
  return getClient({ options: { extraInputs: [binding] }, extraInputs });
}

async function serve(engine: DurableEngine): Promise<Server> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "/", "http://host");
    const answer = await engine.handleHttp({
      method: request.method ?? "GET",
      path: url.pathname.replace(WEBHOOK_PREFIX, "").replace(RPC_PREFIX, ""),
      query: url.searchParams,
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
    });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** The activities of the fixture with these keys wait until the function that is returned is called. */
export function gateFor(...keys: readonly string[]): () => void {
  const shared = globalThis as unknown as { durableFixtureGates?: Map<string, Promise<void>> };
  const { promise, resolve } = Promise.withResolvers<void>();
  shared.durableFixtureGates ??= new Map();
  for (const key of keys) shared.durableFixtureGates.set(key, promise);
  return resolve;
}
