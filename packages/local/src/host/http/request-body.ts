// The body of a request: how long it may be, and the refusal of a longer one. Source: Kestrel, which Microsoft's host is made with.
import type { IncomingMessage, ServerResponse } from "node:http";
import { HOST_LIMITS } from "../limits.ts";

/** So long the rest of a refused body is still taken, and dropped: a client that sends gets to read the answer. As Kestrel does. */
const DRAIN_MS = 5000;

/** In bytes, of the setting by which the real host is told too. */
function bodyLimit(): number {
  const chosen = Number(process.env["FUNCTIONS_REQUEST_BODY_SIZE_LIMIT"]);
  return chosen > 0 ? chosen : HOST_LIMITS.requestBytes.value;
}

/** Whether the request says itself that its body is too long. */
function isTooLong(request: IncomingMessage): boolean {
  return Number(request.headers["content-length"] ?? 0) > bodyLimit();
}

/** The body; undefined if it was too long, and has been refused. */
export async function takeBody(request: IncomingMessage, response: ServerResponse): Promise<Buffer | undefined> {
  const body = isTooLong(request) ? undefined : await readBody(request, bodyLimit());
  if (!body) refuseBody(request, response);
  return body;
}

function refuseBody(request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) return;
  response.writeHead(413, { connection: "close", "content-length": 0 });
  response.flushHeaders();
  const end = () => {
    clearTimeout(timer);
    response.end(() => request.destroy());
  };
  const timer = setTimeout(end, DRAIN_MS);
  request.once("end", end).once("error", end).resume();
}

function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) return void chunks.push(chunk);
      request.off("data", take).pause();
      resolve(undefined);
    };
    request.on("data", take);
    request.once("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.once("error", reject);
  });
}
