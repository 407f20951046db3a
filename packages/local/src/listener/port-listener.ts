// Listens on one port: for plain connections, and with a certificate for TLS as well, distinguished by their first bytes.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import type { Credentials } from "./certificate.ts";

/** How long what is answered may take to leave before the sockets are destroyed. */
const CLOSE_GRACE_MS = 200;
/** How long a client may take to say anything, where that decides who serves it. */
const FIRST_BYTES_MS = 30_000;
const TLS_HANDSHAKE = 0x16;

export interface ConnectionHandlers {
  /** What comes without TLS. */
  plain(socket: Socket): void;
  /** What comes over TLS. `first` is the first byte inside of it, which is yet to be read. */
  secure(socket: Socket, first: number | undefined): void;
}

export class PortListener {
  readonly #handlers: ConnectionHandlers;
  readonly #log: (line: string) => void;
  /** Those too that never said anything. */
  readonly #sockets = new Set<Socket>();
  readonly #tls: TlsServer | undefined;
  #closed: Promise<unknown> | undefined;
  readonly #server = createServer({ noDelay: true }, (socket) => this.#accept(socket));

  constructor(handlers: ConnectionHandlers, log: (line: string) => void, credentials?: Credentials) {
    this.#handlers = handlers;
    this.#log = log;
    if (!credentials) return;
    this.#tls = createTlsServer({ key: credentials.key, cert: credentials.cert });
    this.#tls.on("secureConnection", (socket) => {
      readFirst(socket, (first) => this.#handlers.secure(socket, first));
    });
    this.#tls.on("tlsClientError", (cause: Error, socket) => {
      this.#log(`A TLS handshake failed: ${cause.message}`);
      socket.destroy();
    });
  }

  /** @returns the port. Rejects with Node's error if it is taken. */
  async listen(port: number): Promise<number> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes no more connections. Those that are there stay. */
  leave(): void {
    if (!this.#server.listening) return;
    this.#closed = once(this.#server, "close");
    this.#server.close();
  }

  /** Leaves the port, sends what is already answered, then drops the connections. */
  async close(): Promise<void> {
    this.leave();
    if (!this.#closed) return;
    for (const socket of this.#sockets) socket.destroySoon();
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, CLOSE_GRACE_MS);
    await this.#closed;
    clearTimeout(timer);
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    if (!this.#tls) {
      this.#handlers.plain(socket);
      return;
    }
    readFirst(socket, (first) => {
      if (first === TLS_HANDSHAKE) this.#tls?.emit("connection", socket);
      else this.#handlers.plain(socket);
    });
  }
}

/** Looks at the first byte, and hands the socket on as if nobody had. */
function readFirst(socket: Socket, handOn: (first: number | undefined) => void): void {
  const drop = () => socket.destroy();
  socket.on("error", drop);
  socket.setTimeout(FIRST_BYTES_MS, drop);
  socket.once("data", (chunk: Buffer) => {
    socket.pause();
    socket.off("error", drop);
    socket.setTimeout(0);
    socket.off("timeout", drop);
    socket.unshift(chunk);
    handOn(chunk[0]);
    // Whoever has it listens by now; TLS reads by itself.
    if (chunk[0] !== TLS_HANDSHAKE) process.nextTick(() => socket.resume());
  });
}
