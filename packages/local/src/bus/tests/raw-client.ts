// For tests: writes AMQP frames one by one, right or wrong, and reads what the broker answers.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Typed } from "rhea";
import { types } from "../rhea-internals.ts";

/** As long as whoever waits for an assertion: a broker that reads 100 MB beside other suites takes seconds. */
const WITHIN_MS = 15_000;
const NOTHING = Buffer.alloc(0);
const SASL = Buffer.from("AMQP\x03\x01\x00\x00", "latin1");
const AMQP = Buffer.from("AMQP\x00\x01\x00\x00", "latin1");

const OPEN = 0x10;
const BEGIN = 0x11;
export const ATTACH = 0x12;
const FLOW = 0x13;
export const TRANSFER = 0x14;
export const DISPOSITION = 0x15;
export const DETACH = 0x16;
const CLOSE = 0x18;
const SASL_INIT = 0x41;

export interface Frame {
  readonly code: number;
  /** The fields, without their types. */
  readonly fields: readonly unknown[];
}

export function frame(code: number, fields: readonly unknown[], payload?: Buffer, type = 0): Buffer {
  const writer = new types.Writer();
  writer.write(types.described(types.wrap_ulong(code), types.wrap_list(fields)));
  return rawFrame(Buffer.concat([writer.toBuffer(), payload ?? NOTHING]), type);
}

export function rawFrame(content: Buffer, type = 0): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 2, type, 0, 0]);
  head.writeUInt32BE(head.length + content.length);
  return Buffer.concat([head, content]);
}

export class RawClient {
  readonly socket: Socket;
  readonly #frames: Frame[] = [];
  #rest = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk) => this.#read(chunk));
    socket.on("error", () => {});
  }

  /** @param open the fields of the open frame. */
  static async connect(port: number, open: readonly unknown[] = ["raw"]): Promise<RawClient> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    const client = new RawClient(socket);
    client.send(SASL, frame(SASL_INIT, [types.wrap_symbol("ANONYMOUS")], undefined, 1), AMQP, frame(OPEN, open));
    client.send(frame(BEGIN, [null, types.wrap_uint(0), types.wrap_uint(2048), types.wrap_uint(2048)]));
    return client;
  }

  /** Attaches a sending link as handle 0, and waits until it has credit. */
  async attachSender(address: string, name = "raw-sender"): Promise<void> {
    await this.attachTo(types.described(types.wrap_ulong(0x29), types.wrap_list([address])), name, 0);
  }

  /** The same for any target and handle. */
  async attachTo(target: Typed, name: string, handle: number): Promise<void> {
    const source = types.described(types.wrap_ulong(0x28), types.wrap_list([]));
    this.send(
      frame(ATTACH, [name, types.wrap_uint(handle), false, null, null, source, target, null, null, types.wrap_uint(0)]),
    );
    await this.next(FLOW);
  }

  /** Attaches a receiving link as handle 1, with credit for ten messages. */
  attachReceiver(address: string, name = "raw-receiver"): void {
    const source = types.described(types.wrap_ulong(0x28), types.wrap_list([address]));
    const target = types.described(types.wrap_ulong(0x29), types.wrap_list([]));
    this.send(frame(ATTACH, [name, types.wrap_uint(1), true, null, null, source, target]));
    const window = [types.wrap_uint(0), types.wrap_uint(2048), types.wrap_uint(0), types.wrap_uint(2048)];
    this.send(frame(FLOW, [...window, types.wrap_uint(1), types.wrap_uint(0), types.wrap_uint(10)]));
  }

  send(...bytes: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(bytes));
  }

  /** @param fields those behind the message format. */
  transfer(delivery: number, payload?: Buffer, fields: readonly unknown[] = [], handle = 0): void {
    const [id, tag] = [types.wrap_uint(delivery), Buffer.from(String(delivery))];
    this.send(frame(TRANSFER, [types.wrap_uint(handle), id, tag, types.wrap_uint(0), ...fields], payload));
  }

  /** The next frame of this kind; those before it are gone. */
  async next(code: number): Promise<Frame> {
    const signal = AbortSignal.timeout(WITHIN_MS);
    for (;;) {
      for (let found = this.#frames.shift(); found; found = this.#frames.shift()) if (found.code === code) return found;
      await once(this.socket, "frames", { signal });
    }
  }

  /** What the broker says when it closes the connection: condition and description. */
  async closed(): Promise<readonly unknown[]> {
    const { fields } = await this.next(CLOSE);
    return fields[0] as readonly unknown[];
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 8) {
      const isHeader = this.#rest.toString("latin1", 0, 4) === "AMQP";
      const size = isHeader ? 8 : this.#rest.readUInt32BE();
      if (this.#rest.length < size) break;
      if (!isHeader && size > 8) this.#keep(this.#rest.subarray(8, size));
      this.#rest = this.#rest.subarray(size);
    }
    this.socket.emit("frames");
  }

  #keep(content: Buffer): void {
    const value = new types.Reader(content).read() as Typed & { readonly descriptor: Typed };
    this.#frames.push({ code: Number(value.descriptor.value), fields: plain(value) as readonly unknown[] });
  }
}

function plain(value: unknown): unknown {
  if (value === null || typeof value !== "object" || Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return value.map(plain);
  return "value" in value ? plain(value.value) : value;
}
