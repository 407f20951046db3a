// The administration port: counts for people and benchmarks, and the Atom protocol of the SDK's administration client.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Broker } from "./broker.ts";
import { findTokenFault } from "./claims.ts";
import { type QueueState, readEntry, writeEntry, writeFault, writeFeed } from "./queue-entry.ts";
import type { Store } from "./store.ts";

const LIST = "/$resources/queues";
const PAGE = 100;

interface Answer {
  readonly status: number;
  /** JSON if it is an object, else XML. */
  readonly body: object | string;
}

export class AdminServer {
  readonly #broker: Broker;
  readonly #store: Store;
  readonly #now: () => number;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  constructor(broker: Broker, store: Store, now: () => number) {
    this.#broker = broker;
    this.#store = store;
    this.#now = now;
  }

  /** @returns the port. Rejects with Node's error if it is taken. */
  async listen(port: number): Promise<number> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A request that makes the broker stumble must not take it down.
    const { status, body } = await this.#answer(request).catch((cause: unknown) => fault(500, String(cause)));
    const [type, content] =
      typeof body === "string"
        ? ["application/atom+xml; charset=utf-8", body]
        : ["application/json", JSON.stringify(body)];
    response.writeHead(status, { "content-type": type }).end(content);
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/$counts") return { status: 200, body: { ...this.#broker.counts, ...this.#store.counts } };
    if (pathname === "/$queues") {
      return { status: 200, body: this.#broker.list().map(({ row, counts }) => ({ name: row.name, ...counts })) };
    }
    const tokenFault = findTokenFault(request.headers.authorization ?? "", this.#now());
    if (tokenFault) return fault(401, tokenFault);
    const base = `http://${request.headers.host ?? "localhost"}`;
    const name = decodeURIComponent(pathname.slice(1)).replace(/\/$/, "");
    if (pathname.toLowerCase().startsWith(LIST)) return this.#list(base, searchParams);
    if (name === "$namespaceinfo") return fault(404, "Namespace properties are not served here.");
    switch (request.method) {
      case "GET":
        return this.#get(base, name);
      case "PUT":
        return this.#put(base, name, await text(request), request.headers["if-match"] === "*");
      case "DELETE":
        return (await this.#broker.delete(name)) ? { status: 200, body: "" } : notFound(name);
      default:
        return fault(405, `${request.method} is not served here.`);
    }
  }

  #list(base: string, query: URLSearchParams): Answer {
    const skip = Number(query.get("$skip") ?? 0);
    const states = this.#broker.list().slice(skip, skip + Number(query.get("$top") ?? PAGE));
    return {
      status: 200,
      body: writeFeed(
        base,
        states.map(({ row, counts }) => this.#state(row, counts)),
      ),
    };
  }

  #get(base: string, name: string, status = 200): Answer {
    const entry = this.#broker.describe(name);
    // The client reads an empty feed as "no such queue", and any 404 as well.
    return entry ? { status, body: writeEntry(base, this.#state(entry.row, entry.counts)) } : notFound(name);
  }

  async #put(base: string, name: string, xml: string, isUpdate: boolean): Promise<Answer> {
    const exists = this.#broker.describe(name) !== undefined;
    if (isUpdate && !exists) return notFound(name);
    if (!isUpdate && exists) return fault(409, `The messaging entity '${name}' already exists.`);
    const properties = readEntry(xml);
    if (!properties) return fault(400, "The entry has no QueueDescription.");
    const settingsFault = this.#broker.findFault(name, properties);
    if (settingsFault) return fault(400, settingsFault);
    await this.#broker.put(name, properties);
    return this.#get(base, name, isUpdate ? 200 : 201);
  }

  #state(description: QueueState["description"], counts: QueueState["counts"]): QueueState {
    const queue = this.#broker.find(description.name);
    return { description, counts, sizeInBytes: queue ? this.#store.sizeInBytes(queue.number) : 0 };
  }
}

function notFound(name: string): Answer {
  return fault(404, `The messaging entity '${name}' could not be found.`);
}

function fault(status: number, detail: string): Answer {
  return { status, body: writeFault(status, detail) };
}
