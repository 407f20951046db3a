// What the broker leans on inside rhea 3.0.5 beyond its published types, in one place and checked at start.
import rhea, { type Connection, type Delivery, type Receiver, type Sender, type Session, type Typed } from "rhea";

/** rhea's encoder and decoder of single values, of which it publishes only a part. */
export interface ValueCodec {
  readonly Reader: new (bytes: Buffer) => { read(): Typed };
  readonly Writer: new () => { write(value: Typed): void; toBuffer(): Buffer };
  wrap(value: unknown): Typed;
  wrap_string(value: string): Typed;
  wrap_int(value: number): Typed;
  wrap_long(value: number | Buffer): Typed;
  wrap_map(value: object): Typed;
  wrap_symbolic_map(value: object): Typed;
  wrap_list(values: readonly unknown[]): Typed;
  wrap_array(values: readonly unknown[], typecode: number): Typed;
  described(descriptor: Typed, value: Typed): Typed;
  wrap_ulong(value: number): Typed;
  wrap_uuid(value: Buffer): Typed;
}

export interface DecodedMessage {
  message_id?: unknown;
  reply_to?: string;
  correlation_id?: unknown;
  application_properties?: Record<string, unknown>;
  body?: unknown;
}

interface MessageCodec {
  encode(message: DecodedMessage): Buffer;
  decode(bytes: Buffer): DecodedMessage;
  accepted(): { described(): Typed };
  rejected(fields: { error: { condition: string; description: string } }): { described(): Typed };
}

export const types = rhea.types as unknown as ValueCodec;
export const messages = rhea.message as unknown as MessageCodec;

interface EndpointInternals {
  /** Frames asked for and not yet written. */
  open_requests: number;
  local_open: boolean;
}

interface AttachFrame {
  max_message_size: number;
  properties: Record<string, unknown> | Typed;
}

interface LinkInternals {
  readonly state: EndpointInternals;
  readonly local: { readonly attach: AttachFrame };
  readonly remote: { readonly attach: { readonly source?: Terminus | null; readonly target?: Terminus | null } };
  credit: number;
  delivery_count: number;
  issue_flow: boolean;
}

export interface Terminus {
  readonly address?: string;
  readonly filter?: Record<string, unknown>;
}

export type SenderLink = Omit<Sender, "local" | "session" | "connection"> &
  LinkInternals & {
    readonly session: BusSession;
    readonly connection: BusConnection;
    _draining: boolean;
    _drained: boolean;
    _get_drain(): boolean;
  };
export type ReceiverLink = Receiver & LinkInternals;

export interface TransferFrame {
  readonly performative: { message_format: number | null | undefined };
}

export type BusSession = Session & {
  readonly outgoing: { available(): number };
  on_transfer(frame: TransferFrame): void;
};

export type BusConnection = Connection & {
  readonly socket: import("node:net").Socket;
  _write_frame(channel: number, frame?: undefined, payload?: undefined): void;
  _register(): void;
  output(): void;
};

export type Transfer = Delivery & { remote_settled: boolean; remote_state: { readonly value: readonly unknown[] } };

export const ACCEPTED = messages.accepted().described();

export function rejection(condition: string, description: string): Typed {
  return messages.rejected({ error: { condition, description } }).described();
}

/** Throws if this is not the rhea that was written for: its internals are no contract of its authors. */
export function checkInternals(): void {
  const connection = rhea.create_connection({ port: 0 });
  const session = connection.create_session();
  const parts = {
    "connection.output": connection["output"],
    "connection._write_frame": connection["_write_frame"],
    "connection._register": connection["_register"],
    "session.on_transfer": member(session, "on_transfer"),
    "session.create_sender": member(session, "create_sender"),
    "session.outgoing.available": member(member(session, "outgoing"), "available"),
    "types.Reader": types.Reader,
    "types.Writer": types.Writer,
    "message.accepted": messages.accepted,
    "message.rejected": messages.rejected,
  };
  const missing = Object.entries(parts).flatMap(([name, part]) => (typeof part === "function" ? [] : [name]));
  const create = member(session, "create_sender");
  const link: unknown = typeof create === "function" ? create.call(session, "check", {}) : undefined;
  if (typeof member(link, "_get_drain") !== "function") missing.push("sender._get_drain");
  for (const counter of ["credit", "delivery_count"]) {
    if (typeof member(link, counter) !== "number") missing.push(`sender.${counter}`);
  }
  if (typeof member(member(link, "state"), "open_requests") !== "number") missing.push("sender.state.open_requests");
  if (typeof member(link, "issue_flow") !== "boolean") missing.push("sender.issue_flow");
  if (missing.length > 0) {
    throw new Error(`The bus needs rhea 3.0.5; the one installed lacks ${missing.join(", ")}`);
  }
}

function member(owner: unknown, name: string): unknown {
  return owner !== null && typeof owner === "object" ? Reflect.get(owner, name) : undefined;
}
