// A TCP proxy that can fail in the ways that a network and a server do: for anything that speaks over one port.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What befalls the connections. */
export type NetworkFault =
  | { readonly kind: "none" }
  /** Nobody listens, and what was connected is cut. */
  | { readonly kind: "down" }
  /** Each piece is held for so long, each way. */
  | { readonly kind: "slow"; readonly ms: number }
  /** Connections are taken and stay, and nothing more comes through. When it ends they are cut. */
  | { readonly kind: "halfOpen" }
  /** What matches is handed on; the answer to it is thrown away and its connection is cut. So many times. */
  | { readonly kind: "loseAnswer"; readonly to: RegExp; readonly times: number }
  /** Each connection is cut after so many bytes of answers. */
  | { readonly kind: "cutAfter"; readonly bytes: number };

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  answered: number;
  /** Its next answer is not to arrive. */
  losing: boolean;
  /** Nothing comes through any more, and nobody says so. */
  silent: boolean;
}

export class FaultProxy implements AsyncDisposable {
  /** How many answers were lost, connections cut: a test that counts on a fault can see that it came. */
  crashed = 0;
  readonly #pairs = new Set<Pair>();
  /** The last piece on its way to a socket. */
  readonly #held = new Map<Socket, Promise<void>>();
  #target = 0;
  #fault: NetworkFault = { kind: "none" };
  #server: Server | undefined;
  #port = 0;

  static async start(): Promise<FaultProxy> {
    const proxy = new FaultProxy();
    await proxy.#listen();
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  /** Where what comes is handed on to. @returns the proxy's own port. */
  to(port: number): number {
    this.#target = port;
    return this.#port;
  }

  async behave(fault: NetworkFault): Promise<void> {
    const { kind: before } = this.#fault;
    this.#fault = fault;
    if (fault.kind === "down") await this.#close();
    else if (!this.#server) await this.#listen();
    if (before === "halfOpen") this.cut();
  }

  /** For as long as `work` takes. */
  async during<T>(fault: NetworkFault, work: () => Promise<T>): Promise<T> {
    await this.behave(fault);
    try {
      return await work();
    } finally {
      await this.behave({ kind: "none" });
    }
  }

  /** Cuts what is connected, in the middle of whatever it was about. */
  cut(): void {
    for (const pair of this.#pairs) this.#sever(pair);
  }

  /** What is connected falls silent for good, as behind a router that forgot it; new connections work. */
  stall(): void {
    for (const pair of this.#pairs) pair.silent = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  async #listen(): Promise<void> {
    const server = createServer({ noDelay: true }, (client) => this.#connect(client));
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  async #close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = once(server, "close");
    server.close();
    this.cut();
    await closed;
  }

  #connect(client: Socket): void {
    const server = connect({ port: this.#target, host: "127.0.0.1", noDelay: true });
    const pair: Pair = { client, server, answered: 0, losing: false, silent: false };
    this.#pairs.add(pair);
    client.on("data", (piece: Buffer) => this.#asked(pair, piece));
    server.on("data", (piece: Buffer) => this.#answered(pair, piece));
    for (const socket of [client, server]) {
      socket.on("error", () => undefined);
      // A half-open peer says nothing, not even that it has gone.
      socket.on("close", () => this.#fault.kind !== "halfOpen" && !pair.silent && this.#end(pair));
    }
  }

  #asked(pair: Pair, piece: Buffer): void {
    const fault = this.#fault;
    if (fault.kind === "halfOpen" || pair.silent) return;
    if (fault.kind === "loseAnswer" && fault.times > 0 && fault.to.test(piece.toString("latin1"))) {
      pair.losing = true;
      this.#fault = { ...fault, times: fault.times - 1 };
    }
    this.#pass(pair.server, piece);
  }

  #answered(pair: Pair, piece: Buffer): void {
    const fault = this.#fault;
    if (fault.kind === "halfOpen" || pair.silent) return;
    pair.answered += piece.length;
    if (pair.losing || (fault.kind === "cutAfter" && pair.answered > fault.bytes)) this.#sever(pair);
    else this.#pass(pair.client, piece);
  }

  /** In the order in which it came, also when what came before is held. */
  #pass(to: Socket, piece: Buffer): void {
    const ms = this.#fault.kind === "slow" ? this.#fault.ms : 0;
    const before = this.#held.get(to);
    if (!before && ms === 0) {
      if (to.writable) to.write(piece);
      return;
    }
    const arrives = Date.now() + ms;
    const held: Promise<void> = Promise.resolve(before)
      .then(() => sleep(Math.max(0, arrives - Date.now())))
      .then(() => {
        if (to.writable) to.write(piece);
        if (this.#held.get(to) === held) this.#held.delete(to);
      });
    this.#held.set(to, held);
  }

  #sever(pair: Pair): void {
    this.crashed += 1;
    this.#end(pair);
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    for (const socket of [pair.client, pair.server]) this.#held.delete(socket);
    pair.client.destroy();
    pair.server.destroy();
  }
}
