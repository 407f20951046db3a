// Stands between an app and the local Cosmos DB server and adds up what the app's requests cost there.
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface Spent {
  readonly requests: number;
  /** Request units, as the local server models them. */
  readonly charge: number;
  /** That queries have read, whether they are in an answer or not. */
  readonly documents: number;
}

export interface Meter extends AsyncDisposable {
  readonly port: number;
  /** Where it sends what it gets. */
  target: number;
  readonly spent: Spent;
}

export async function startMeter(): Promise<Meter> {
  let spent: Spent = { requests: 0, charge: 0, documents: 0 };
  let target = 0;
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, "x-ms-documentdb-populatequerymetrics": "true" };
    const { method = "GET", url = "/" } = incoming;
    const onward = request({ port: target, host: "127.0.0.1", method, path: url, headers }, (answer) => {
      const charge = Number(answer.headers["x-ms-request-charge"] ?? 0);
      const metrics = String(answer.headers["x-ms-documentdb-query-metrics"] ?? "");
      const documents = Number(/retrievedDocumentCount=(\d+)/.exec(metrics)?.[1] ?? 0);
      const { requests, ...before } = spent;
      // A question about the account itself costs nothing.
      spent = {
        requests: requests + (charge > 0 ? 1 : 0),
        charge: before.charge + charge,
        documents: before.documents + documents,
      };
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    get target() {
      return target;
    },
    set target(port) {
      target = port;
    },
    get spent() {
      return spent;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
