// The HTTP side of a simulated service: what is asked of it, and the controls under `/$…`.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Database } from "../database/database.ts";
import { diskFault } from "../database/disk-room.ts";
import { foreignRequest } from "../foreign-request.ts";
import { isObject } from "../json.ts";
import { inWords } from "../thrown.ts";
import { FAULT_KEY } from "./fault-key.ts";
import { parseFault } from "./fault-request.ts";
import type { Service, ServiceReply } from "./service.ts";

interface ServiceServerOptions {
  readonly service: Service;
  readonly database: Database;
  /** Aborted on closing: what is being slow then answers at once. */
  readonly hurry: AbortSignal;
  readonly log: (line: string) => void;
}

/** Clients keep connections for minutes; one that the server drops first costs them a failed call. */
const KEEP_ALIVE_MS = 120_000;
const BODY_LIMIT_BYTES = 1_048_576;

/** A server that does not listen yet. */
export function createServiceServer(options: ServiceServerOptions): Server {
  const server = createServer((request, response) => {
    answer(request, options)
      .catch((cause: unknown): ServiceReply => {
        options.log(`${options.service.name}: ${request.method} ${request.url} failed: ${inWords(cause)}`);
        const full = diskFault(cause);
        return full === undefined ? rejection(500, "failed", inWords(cause)) : rejection(507, "disk-full", full);
      })
      .then(async (reply) => {
        // No answer says what a power loss could still take back.
        await options.database.flushed();
        send(response, reply, options.hurry);
      });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

async function answer(request: IncomingMessage, options: ServiceServerOptions): Promise<ServiceReply> {
  const { service } = options;
  const foreign = foreignRequest(request.headers);
  if (foreign !== undefined) return rejection(403, "foreign", foreign);
  const url = request.url ?? "/";
  const queryAt = url.indexOf("?");
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  const query = new URLSearchParams(url.slice(path.length + 1));
  if (path.startsWith("/$")) return control(request, path, query, options);
  if (request.method === "GET" && service.isResource(path)) return service.lookUp(path, query);
  const one = request.method === "GET" ? await service.one(path) : undefined;
  if (one) return one;
  const found = request.method === "POST" ? service.route(path) : undefined;
  if (!found) return nothingHere(request.method, path, service);
  const full = options.database.roomFault();
  if (full !== undefined) return rejection(507, "disk-full", full);
  const text = await bodyOf(request);
  if (text === undefined) return rejection(413, "too-large", `a body has at most ${BODY_LIMIT_BYTES} bytes`);
  const body = parsed(text === "" && found.route.kind === "act" ? "{}" : text);
  const key = service.knowsKeys ? request.headers["idempotency-key"] : randomUUID();
  const faults = [
    ...(typeof key === "string" && key !== "" ? [] : ["the header Idempotency-Key is missing"]),
    ...(isObject(body) ? [] : ["the body has to be a JSON object"]),
  ];
  if (typeof key !== "string" || !isObject(body) || faults.length > 0) {
    return rejection(400, "bad-request", faults.join("; "), { faults });
  }
  return service.handle({ ...found, key, text: text || "{}", body }, options.hurry);
}

async function control(
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
  { service, database }: ServiceServerOptions,
): Promise<ServiceReply> {
  const id = /^\/\$faults\/([^/]+)$/.exec(path)?.[1];
  const isSwitch = request.method !== "GET" && path.startsWith("/$faults");
  if (isSwitch && request.headers.authorization !== FAULT_KEY) return NEEDS_KEY;
  switch (`${request.method} ${id === undefined ? path : "/$faults/*"}`) {
    case "GET /$counts":
      return json(200, { ...service.counts, ...database.counts });
    case "GET /$effects":
      return json(200, { effects: service.effects.list(query) });
    case "GET /$faults":
      return json(200, { faults: service.faults.list() });
    case "POST /$faults": {
      const checked = parseFault(parsed((await bodyOf(request)) ?? ""), service.paths, service.queue?.name);
      if (checked.kind === "invalid") {
        return rejection(400, "bad-fault", checked.faults.join("; "), { faults: checked.faults });
      }
      return json(201, { id: await service.faults.add(checked.fault) });
    }
    case "DELETE /$faults":
      return json(200, { removed: await service.faults.remove() });
    case "DELETE /$faults/*": {
      const removed = await service.faults.remove(id);
      return removed > 0 ? json(200, { removed }) : rejection(404, "not-found", `there is no fault ${id}`);
    }
    default:
      return nothingHere(request.method, path, service);
  }
}

const NEEDS_KEY = rejection(
  401,
  "needs-key",
  `The switches for faults take the header authorization: ${FAULT_KEY}, so that no page of a browser can use them.`,
);

function nothingHere(method: string | undefined, path: string, service: Service): ServiceReply {
  const exists = [
    ...service.paths.map((known) => `POST ${known}`),
    ...service.paths.filter((known) => service.isResource(known)).map((known) => `GET ${known}[?field=value]`),
    "POST /$faults",
    "GET /$faults",
    "DELETE /$faults[/id]",
    "GET /$effects[?field=value]",
    "GET /$counts",
  ];
  // Not "not-found": that is what a service says of an id, and means the order that named it.
  return rejection(404, "no-such-path", `${service.name} has no ${method} ${path}; there are ${exists.join(", ")}`, {
    exists,
  });
}

function rejection(status: number, code: string, message: string, more: object = {}): ServiceReply {
  return json(status, { code, message, ...more });
}

function json(status: number, body: object): ServiceReply {
  return { status, body: JSON.stringify(body) };
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Undefined where it is over the limit; the rest is read and dropped, so that the refusal arrives. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= BODY_LIMIT_BYTES) chunks.push(chunk);
  }
  return bytes > BODY_LIMIT_BYTES ? undefined : Buffer.concat(chunks).toString();
}

function send(
  response: ServerResponse,
  { status, body, headers, lost, hangs }: ServiceReply,
  hurry: AbortSignal,
): void {
  if (hangs) {
    const end = () => response.socket?.destroy();
    if (hurry.aborted) end();
    else {
      hurry.addEventListener("abort", end, { once: true });
      response.once("close", () => hurry.removeEventListener("abort", end));
    }
    return;
  }
  if (lost) {
    response.socket?.destroy();
    return;
  }
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
