// Streamed HTTP: the library takes the request on a port of its own, by invocation id, and answers there; bytes pass through as they come.
import { type ClientRequest, type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import { bodyLimit, refuseBody } from "../http/request-body.ts";

/** Passes the request on to the library at `streamUrl` while `invoke` runs the function; resolves when the answer has ended. */
export async function serveStreamed(
  streamUrl: string,
  invocationId: string,
  request: IncomingMessage,
  response: ServerResponse,
  invoke: () => Promise<unknown>,
): Promise<void> {
  const { hostname, port } = new URL(streamUrl);
  const proxied = openRequest({
    hostname,
    port,
    path: request.url,
    method: request.method,
    headers: {
      ...request.headers,
      "x-ms-invocation-id": invocationId,
      "x-forwarded-host": request.headers.host ?? "127.0.0.1",
      "x-forwarded-proto": "http",
    },
  });
  const answered = passBack(proxied, response);
  let isRefused = false;
  limitBody(request, () => {
    isRefused = true;
    request.unpipe(proxied);
    proxied.destroy();
    refuseBody(request, response);
  });
  request.pipe(proxied);
  try {
    await Promise.all([invoke(), answered]);
  } catch (cause) {
    proxied.destroy();
    if (!isRefused) throw cause;
  }
}

function limitBody(request: IncomingMessage, refuse: () => void): void {
  const limit = bodyLimit();
  let size = 0;
  const count = (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) return;
    request.off("data", count);
    refuse();
  };
  request.on("data", count);
}

function passBack(proxied: ClientRequest, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    proxied.once("error", reject);
    proxied.once("response", (answer) => {
      if (response.headersSent) {
        // It took too long: its caller was answered.
        answer.resume().once("close", resolve);
        return;
      }
      const { "x-ms-invocation-id": _id, ...headers } = answer.headers;
      response.writeHead(answer.statusCode ?? 200, headers);
      answer.once("error", reject);
      response.once("close", resolve);
      answer.pipe(response);
    });
  });
}
