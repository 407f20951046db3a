// The host's HTTP server: the app's functions, the host's own /admin, and the durable webhooks.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { diskFault } from "../../database/disk-room.ts";
import { foreignRequest, hostOf } from "../../foreign-request.ts";
import { messageOf } from "../../thrown.ts";
import type { DurableEngine, RegisteredFunction } from "../contract.ts";
import { RPC_PREFIX, WEBHOOK_KEY, WEBHOOK_PREFIX } from "../durable/client-binding.ts";
import { decodePart } from "../durable/route.ts";
import { ACTIVITIES_PATH } from "../flex/activities.ts";
import { type ServedFunctions, serveFunction } from "../triggers/http.ts";
import { keyOf, MASTER_KEY, mayAdminister } from "./function-keys.ts";
import { takeBody } from "./request-body.ts";
import { MOST_HEADER_BYTES, requestRefusal } from "./request-limits.ts";

/** What the server serves once the app is loaded. */
interface Served extends ServedFunctions {
  readonly engine: DurableEngine | undefined;
  /** Runs an activity for the process that has the engine. */
  readonly invokeActivity: ((call: Buffer) => Promise<Buffer>) | undefined;
  counts(): Record<string, number>;
  /** What `/admin/functions` lists. */
  describe(registered: RegisteredFunction): object;
  /** Begins a run by hand; answers why not, if it can't. */
  runByHand(functionName: string, input: string | undefined): string | undefined;
}

export interface HostServer {
  readonly port: number;
  /** Until then every request is answered by 503. */
  serve(served: Served): void;
  /** From now on functions are answered by 503; the durable webhooks go on, as functions that still run call them. */
  drain(): void;
  /** Takes no new connections, and ends those that are idle; resolves when all have ended, at the latest after `timeoutMs`. */
  close(timeoutMs: number): Promise<void>;
}

/** Serves the app's functions. */
export async function listen(port: number): Promise<HostServer> {
  let served: Served | undefined;
  let draining = false;
  const server = await openServer(port, (request, response) => respond(served, draining, request, response));
  return {
    ...server,
    serve(ready) {
      served = ready;
    },
    drain() {
      draining = true;
    },
  };
}

/** Listens on 127.0.0.1; rejects with Node's own error when the port is taken. */
export async function openServer(
  port: number,
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Pick<HostServer, "port" | "close">> {
  const server = createServer({ maxHeaderSize: MOST_HEADER_BYTES }, (request, response) => {
    const status = requestRefusal(request);
    if (status !== undefined) return void response.writeHead(status, { connection: "close" }).end();
    const forwarded = process.env["LOCAL_PUBLIC_ORIGIN"] || undefined;
    const refusal = foreignRequest(request.headers, forwarded);
    if (refusal !== undefined) return sendText(response, 403, refusal);
    // As Azure's front end says which host the browser has asked.
    if (forwarded !== undefined && request.headers.origin === forwarded)
      request.headers["x-forwarded-host"] = hostOf(forwarded);
    answer(request, response).catch((cause: unknown) => {
      if (!response.headersSent) response.writeHead(diskFault(cause) === undefined ? 500 : 507);
      response.end(diskFault(cause) ?? messageOf(cause));
    });
  });
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : port,
    close: (timeoutMs) => closeServer(server, timeoutMs),
  };
}

async function closeServer(server: Server, timeoutMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

async function respond(
  served: Served | undefined,
  draining: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!served) return sendText(response, 503, "The host is starting.");
  const path = pathOf(request);
  if (isAdmin(path)) return await admin(served, request, response, path);
  if (isDurable(path)) return await durable(served, request, response, path);
  if (draining) return sendText(response, 503, "The host is stopping.");
  if (path === ACTIVITIES_PATH && served.invokeActivity) {
    const call = await takeBody(request, response);
    if (call) response.end(await served.invokeActivity(call));
    return;
  }
  if (await serveFunction(served, request, response, path)) return;
  if (path === "/") return sendText(response, 200, "The Functions host is running.");
  response.writeHead(404).end();
}

/** Its letters are of any case. */
export const isAdmin = (path: string): boolean => /^\/admin\//i.test(path);

/** The durable webhooks, and the same for the app's own library. */
export function isDurable(path: string): boolean {
  return path.startsWith(WEBHOOK_PREFIX) || path.startsWith(RPC_PREFIX);
}

export function pathOf({ url = "/" }: IncomingMessage): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

function queryOf({ url = "/" }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?") + 1) : "");
}

async function admin(served: Served, request: IncomingMessage, response: ServerResponse, given: string): Promise<void> {
  const path = given.toLowerCase();
  const functions = [...served.app.functions.values()];
  if (request.method === "GET" && path === "/admin/counts") return sendJson(response, 200, served.counts());
  if (served.checksKeys && !mayAdminister(path, request)) return sendText(response, 401, "");
  if (request.method === "GET") {
    if (path === "/admin/host/ping") return sendText(response, 200, "");
    if (path === "/admin/functions") return sendJson(response, 200, functions.map(served.describe));
    if (path === "/admin/host/status") {
      const processUptime = Math.round(performance.now());
      return sendJson(response, 200, { state: "Running", processUptime, functions: functions.map(served.describe) });
    }
  }
  const name = /^\/admin\/functions\/([^/]+)$/.exec(path)?.[1];
  const registered = name === undefined ? undefined : served.app.functions.get(decodePart(name));
  if (!registered) return sendText(response, 404, "");
  if (request.method === "GET") return sendJson(response, 200, served.describe(registered));
  if (request.method !== "POST") return sendText(response, 405, "");
  const body = await takeBody(request, response);
  if (!body) return;
  const input = readInput(body.toString());
  if (input === "invalid") return sendText(response, 400, `The body has to be JSON such as {"input": "text"}.`);
  const refusal = served.runByHand(registered.name, input.text);
  return refusal === undefined ? sendText(response, 202, "") : sendText(response, 400, refusal);
}

function readInput(body: string): { text: string | undefined } | "invalid" {
  if (body.trim() === "") return { text: undefined };
  try {
    const { input } = JSON.parse(body) as { input?: unknown };
    if (input === undefined || input === null) return { text: undefined };
    return { text: typeof input === "string" ? input : JSON.stringify(input) };
  } catch {
    return "invalid";
  }
}

async function durable({ engine }: Served, request: IncomingMessage, response: ServerResponse, path: string) {
  if (!engine) return sendText(response, 404, "The app has no durable functions.");
  const isWebhook = path.startsWith(WEBHOOK_PREFIX);
  const prefix = isWebhook ? WEBHOOK_PREFIX : RPC_PREFIX;
  const query = queryOf(request);
  const key = keyOf(request);
  if (isWebhook && key !== WEBHOOK_KEY && key !== MASTER_KEY) return sendText(response, 401, "");
  const body = await takeBody(request, response);
  if (!body) return;
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const answer = await engine.handleHttp({
    method: request.method ?? "GET",
    path: path.slice(prefix.length),
    query,
    headers,
    body: body.toString(),
  });
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}

export function sendText(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(body);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}
