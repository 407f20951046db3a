// Stands before the shipping service: of the workflow CARRIER it accepts each shipment, and does it later; all else it passes on.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface LateCarrier extends AsyncDisposable {
  readonly url: string;
  /** Where it passes on what it does not do itself. */
  target: string;
}

export async function startLateCarrier(): Promise<LateCarrier> {
  let target = "";
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const body = Buffer.concat(await request.toArray());
    const { orderId, reportTo } = JSON.parse(body.toString() || "{}") as { orderId?: string; reportTo?: string };
    if (method === "POST" && url === "/shipments" && reportTo) {
      response.writeHead(202, { "content-type": "application/json" }).end(JSON.stringify({ id: `S-${orderId}` }));
      const progress = { kind: "progress", progress: "handed to the driver" };
      const json = { "content-type": "application/json" };
      // Once the record says that it waits.
      setTimeout(() => void fetch(reportTo, { method: "POST", headers: json, body: JSON.stringify(progress) }), 500);
      return;
    }
    const { host: _host, connection: _connection, "content-length": _length, ...passed } = headers;
    const answer = await fetch(target.replace(/\/$/, "") + url, {
      method,
      headers: passed as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get target() {
      return target;
    },
    set target(url) {
      target = url;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
