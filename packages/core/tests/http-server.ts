// A service of a test's own, for answers that no simulated one gives.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface HttpServer extends AsyncDisposable {
  /** With a slash at its end. */
  readonly url: string;
}

export async function startHttpServer(listener: RequestListener): Promise<HttpServer> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
