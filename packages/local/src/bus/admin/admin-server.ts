// Serves the administration: counts for people and benchmarks, and the Atom protocol of the SDK's administration client.
import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpConnections } from "../../listener/http-connections.ts";
import { inWords, stackOf } from "../../thrown.ts";
import { QuotaExceeded } from "../entities/quotas.ts";
import type { BusyQueues } from "../links/busy-queues.ts";
import { readToken } from "../links/claims.ts";
import type { Log } from "../links/link-faults.ts";
import { isStoreFault } from "../queue/store.ts";
import { type AdminContext, type Answer, answerAdmin, faultAnswer } from "./admin-routes.ts";
import { XmlFault } from "./atom.ts";

/** Many times what the largest entry has. */
const MAX_BODY_BYTES = 128 * 1024;

export class AdminServer {
  readonly connections = new HttpConnections(
    (request, response) => void this.#serve(request, response),
    /^[a-z0-9-]+\.servicebus\.windows\.net(:\d{1,5})?$/i,
  );
  readonly #context: AdminContext;
  readonly #busy: BusyQueues;
  readonly #now: () => number;
  readonly #log: Log;

  constructor(context: AdminContext, busy: BusyQueues, now: () => number, log: Log) {
    this.#context = context;
    this.#busy = busy;
    this.#now = now;
    this.#log = log;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = await this.#answer(request).catch((cause: unknown) => {
      if (isStoreFault(cause)) throw cause;
      if (cause instanceof XmlFault) return faultAnswer(400, cause.message);
      if (cause instanceof QuotaExceeded) return faultAnswer(403, cause.message);
      // A request that makes the broker stumble must not take it down.
      this.#log(`Administration request failed: ${stackOf(cause)}`);
      return faultAnswer(500, inWords(cause));
    });
    await this.#context.store.flushed();
    const [type, content] =
      typeof body === "string"
        ? ["application/atom+xml; charset=utf-8", body]
        : ["application/json", JSON.stringify(body)];
    response.writeHead(status, { "content-type": type }).end(content);
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const { broker, store } = this.#context;
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/$counts") return { status: 200, body: { ...broker.counts, ...store.counts } };
    if (pathname === "/$queues") return { status: 200, body: this.#countQueues() };
    const token = readToken(request.headers.authorization ?? "", this.#now());
    if (typeof token === "string") return faultAnswer(401, token);
    const path = decodePath(pathname);
    if (path === undefined) return faultAnswer(400, "The path is not encoded properly.");
    const body = await readBody(request);
    if (body === undefined) return faultAnswer(413, `A body may have ${MAX_BODY_BYTES} bytes.`);
    if (path === "$refuse" && request.method === "POST") return this.#refuseSends(body);
    const protocol = "encrypted" in request.socket ? "https" : "http";
    return answerAdmin(this.#context, {
      method: request.method ?? "GET",
      path,
      base: `${protocol}://${request.headers.host ?? "localhost"}`,
      isUpdate: request.headers["if-match"] === "*",
      body,
    });
  }

  /** A switch for tests: the next sends to a queue find a server that is busy. */
  #refuseSends(body: string): Answer {
    const { queue, sends } = readSwitch(body);
    if (typeof queue !== "string" || !Number.isInteger(sends) || Number(sends) < 0)
      return faultAnswer(400, 'The body has to be as {"queue": "orders", "sends": 5}.');
    if (!this.#context.broker.catalog.get(queue)) return faultAnswer(404, `There is no ${queue}.`);
    this.#busy.set(queue, Number(sends));
    return { status: 200, body: { queue, sends } };
  }

  /** For people. */
  #countQueues(): object[] {
    const { catalog } = this.#context.broker;
    return catalog.all().map((entity) => ({ name: entity.row.name, ...entity.count() }));
  }
}

function readSwitch(body: string): { readonly queue?: unknown; readonly sends?: unknown } {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

function decodePath(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname.slice(1)).replace(/\/$/, "");
  } catch {
    return undefined;
  }
}

/** `undefined`: there is more than anybody needs. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Read to its end all the same: a client that still sends does not hear the answer.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString();
}
