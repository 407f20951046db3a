// Serves HTTP on connections that others have accepted, and leaves when what was asked is answered.
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { refusesForeign } from "../foreign-request.ts";

/** Longer than any client's own, so that it is never the server that closes a socket just as a request arrives. */
const KEEP_ALIVE_MS = 60_000;
/** How long a client may be silent in the middle of a request when the server leaves. */
const SILENT_MS = 500;

export class HttpConnections {
  readonly #server;
  /** By its connection, what has not left yet: one that breaks takes along what was asked on it. */
  readonly #unanswered = new Map<Socket, Set<ServerResponse>>();
  /** Set once the server leaves. */
  #drained: (() => void) | undefined;

  /** @param ofAzure names that clients may call the server by, beside those of this machine */
  constructor(serve: RequestListener, ofAzure?: RegExp) {
    this.#server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      this.#keep(request.socket, response);
      if (!refusesForeign(request, response, ofAzure)) serve(request, response);
    });
  }

  /** A client's connection, on which nothing was read yet. */
  accept(socket: Socket): void {
    socket.once("close", () => this.#forget(socket));
    this.#server.emit("connection", socket);
  }

  /** Resolves when what was asked is answered. Each connection ends with its next answer from now on. */
  async drain(): Promise<void> {
    const drained = new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    for (const [socket, responses] of this.#unanswered) {
      for (const response of responses) {
        endWith(response);
        if (response.req.complete) continue;
        socket.setTimeout(SILENT_MS, () => socket.destroy());
        response.req.once("end", () => socket.setTimeout(0));
      }
    }
    if (this.#unanswered.size > 0) await drained;
  }

  #keep(socket: Socket, response: ServerResponse): void {
    const responses = this.#unanswered.get(socket) ?? new Set();
    this.#unanswered.set(socket, responses.add(response));
    if (this.#drained) endWith(response);
    response.once("close", () => {
      responses.delete(response);
      if (responses.size === 0) this.#forget(socket);
    });
  }

  #forget(socket: Socket): void {
    this.#unanswered.delete(socket);
    if (this.#unanswered.size === 0) this.#drained?.();
  }
}

function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}
