// The administration port: counts for people and benchmarks, and the Atom protocol of the SDK's administration client.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Broker } from "./broker.ts";
import type { Store } from "./store.ts";

export class AdminServer {
  readonly #broker: Broker;
  readonly #store: Store;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  constructor(broker: Broker, store: Store) {
    this.#broker = broker;
    this.#store = store;
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

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/$counts") return sendJson(response, { ...this.#broker.counts, ...this.#store.counts });
    if (pathname === "/$queues") {
      return sendJson(
        response,
        this.#broker.list().map(({ description, counts }) => ({ name: description.name, ...counts })),
      );
    }
    response.writeHead(404).end();
  }
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}
