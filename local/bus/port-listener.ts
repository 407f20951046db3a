// Listens on one port: for plain connections, and with a certificate for TLS as well, told apart by their first bytes.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import type { Credentials } from "./certificate.ts";
import type { Log } from "./link-faults.ts";

/** How long what is answered may take to leave before the sockets are destroyed. */
const CLOSE_GRACE_MS = 200;
/** How long a client may take to say anything, where that decides who serves it. */
const FIRST_BYTES_MS = 30_000;
const TLS_HANDSHAKE = 0x16;

export interface ConnectionHandlers {
  /** What comes without TLS. */
  plain(socket: Socket): void;
  /** What comes over TLS and speaks AMQP, or else HTTP. */
  amqp(socket: Socket): void;
  http(socket: Socket): void;
}

export class PortListener {
  readonly #handlers: ConnectionHandlers;
  readonly #log: Log;
  /** Those too that never said anything. */
  readonly #sockets = new Set<Socket>();
  readonly #tls: TlsServer | undefined;
  readonly #server = createServer({ noDelay: true }, (socket) => this.#accept(socket));

  constructor(handlers: ConnectionHandlers, log: Log, credentials?: Credentials) {
    this.#handlers = handlers;
    this.#log = log;
    if (!credentials) return;
    this.#tls = createTlsServer({ key: credentials.key, cert: credentials.cert });
    this.#tls.on("secureConnection", (socket) => this.#acceptSecure(socket));
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

  /**
   * Sends what is already answered, then drops the connections without an AMQP close. A client of the SDK that is told of
   * the close goes on using its dead `$cbs` links when the broker is back soon, and its next send hangs; a connection that
   * breaks it replaces.
   */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroySoon();
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, CLOSE_GRACE_MS);
    await closed;
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

  #acceptSecure(socket: Socket): void {
    readFirst(socket, (first) => {
      if (first === "A".charCodeAt(0)) this.#handlers.amqp(socket);
      else this.#handlers.http(socket);
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
