// What the broker leans on inside rhea 3.0.5 beyond its published types, in one place and checked at start.
import rhea, { type Connection, type Delivery, type Receiver, type Sender, type Session, type Typed } from "rhea";

/** rhea's encoder and decoder of single values, of which it publishes only a part. */
interface ValueCodec {
  readonly Reader: new (bytes: Buffer) => { read(): Typed };
  readonly Writer: new () => { write(value: Typed): void; toBuffer(): Buffer };
  wrap(value: unknown): Typed;
  wrap_string(value: string): Typed;
  wrap_symbol(value: string): Typed;
  wrap_uint(value: number): Typed;
  wrap_int(value: number): Typed;
  wrap_long(value: number | Buffer): Typed;
  wrap_double(value: number): Typed;
  wrap_timestamp(value: number | Buffer): Typed;
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

interface LocalAttach {
  max_message_size: number;
  properties: Record<string, unknown> | Typed;
  /** Null: there is none. */
  source: Typed | null;
  target: Typed | null;
}

interface LinkInternals {
  readonly state: EndpointInternals;
  readonly local: { readonly attach: LocalAttach; readonly handle: number };
  readonly remote: {
    readonly attach: { readonly source?: Terminus | null; readonly target?: Terminus | null };
    handle: number | undefined;
  };
  credit: number;
  delivery_count: number;
  issue_flow: boolean;
  is_remote_open(): boolean;
  on_attach(frame: AttachFrame): void;
}

export interface Terminus {
  readonly address?: unknown;
  readonly filter?: unknown;
  /** The fields as they came, with their types. */
  readonly value: readonly Typed[];
}

/** An entity's path, which some clients write as a whole URL. */
export function readAddress(terminus: Pick<Terminus, "address"> | null | undefined): string {
  const address = typeof terminus?.address === "string" ? terminus.address : "";
  return address.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/^\//, "");
}

/** A message of which more is to come. */
interface IncompleteDelivery {
  frames: Buffer[];
  format: number;
  bytes?: number;
}

export type SenderLink = Omit<Sender, "local" | "session" | "connection"> &
  LinkInternals & {
    readonly session: BusSession;
    readonly connection: BusConnection;
    _draining: boolean;
    _drained: boolean;
    _get_drain(): boolean;
  };
export type ReceiverLink = Receiver &
  LinkInternals & {
    _incomplete: IncompleteDelivery | undefined;
    /** A client attaches to what declares transactions. */
    isCoordinator?: boolean;
  };

export interface AttachFrame {
  readonly performative: {
    readonly name: string;
    readonly handle: number;
    readonly role: boolean;
    source: Described | null | undefined;
    target: Described | null | undefined;
  };
}

export type Described = Typed & { readonly descriptor?: Typed };

export interface TransferFrame {
  readonly performative: {
    readonly handle: number;
    readonly delivery_id: number | null | undefined;
    readonly aborted: boolean | null | undefined;
    /** The fields as they came, with their types. */
    readonly value: readonly Described[];
    message_format: number | null | undefined;
    more: boolean | null | undefined;
  };
  payload: Buffer | undefined;
}

export interface DispositionFrame {
  readonly performative: {
    readonly role: boolean;
    first: number;
    last: number | null | undefined;
    state: Described | null | undefined;
  };
}

export interface FlowFrame {
  readonly performative: {
    readonly handle: number | null | undefined;
    delivery_count: number | null | undefined;
  };
}

interface Deliveries {
  get_head(): { readonly id: number } | undefined;
  get_tail(): { readonly id: number } | undefined;
}

export type BusSession = Omit<Session, "local" | "remote" | "links" | "outgoing" | "incoming"> & {
  readonly local: { readonly handles: Record<number, unknown> };
  readonly remote: { readonly handles: Record<number, SenderLink | ReceiverLink> };
  readonly outgoing: { readonly deliveries: Deliveries; available(): number };
  readonly incoming: { readonly deliveries: Deliveries };
  links: Record<string, SenderLink | ReceiverLink>;
  create_sender(name: string): SenderLink;
  create_receiver(name: string): ReceiverLink;
  remove_link(link: SenderLink | ReceiverLink): void;
  on_attach(frame: AttachFrame): void;
  on_transfer(frame: TransferFrame): void;
  on_disposition(frame: DispositionFrame): void;
  on_flow(frame: FlowFrame): void;
};

export type BusConnection = Connection & {
  readonly socket: import("node:net").Socket;
  readonly transport: { read(bytes: Buffer): number; has_writes_pending(): boolean };
  readonly remote: { readonly open: { max_frame_size?: number | null; idle_time_out?: number | null } };
  readonly heartbeat_in: NodeJS.Timeout | undefined;
  readonly sasl_transport:
    | { readonly transports?: Readonly<Record<number, { readonly mechanism?: object }>> }
    | undefined;
  accept(socket: import("node:net").Socket): void;
  dispatch(name: string, ...context: unknown[]): boolean;
  input(chunk: Buffer): void;
  output(): void;
  _process(): void;
  _write_frame(channel: number, frame?: undefined, payload?: undefined): void;
  _register(): void;
  _disconnected(): void;
};

const SASL_PROTOCOL = 3;

/** By which the client signed in; undefined where it did not. */
export function mechanismOf({ sasl_transport: transport }: BusConnection): object | undefined {
  return transport?.transports?.[SASL_PROTOCOL]?.mechanism;
}

export type Transfer = Delivery & { remote_settled: boolean; remote_state: { readonly value: readonly unknown[] } };

export const ACCEPTED = messages.accepted().described();

export function rejected(condition: string, description: string): Typed {
  return messages.rejected({ error: { condition, description } }).described();
}

/** Throws if this is not the rhea that was written for: its internals are no contract of its authors. */
export function checkInternals(): void {
  const connection = rhea.create_connection({ port: 0 });
  const session = connection.create_session();
  const parts = {
    ...functions("connection", connection, [
      ...["accept", "dispatch", "input", "output", "_process", "_write_frame", "_register", "_disconnected"],
    ]),
    ...functions("connection.transport", member(connection, "transport"), ["read", "has_writes_pending"]),
    ...functions("session", session, [
      ...["create_sender", "create_receiver", "remove_link", "on_attach", "on_transfer", "on_disposition", "on_flow"],
    ]),
    "session.outgoing.available": member(member(session, "outgoing"), "available"),
    "session.outgoing.deliveries.get_head": member(member(member(session, "outgoing"), "deliveries"), "get_head"),
    "session.incoming.deliveries.get_head": member(member(member(session, "incoming"), "deliveries"), "get_head"),
    "types.Reader": types.Reader,
    "types.Writer": types.Writer,
    "message.accepted": messages.accepted,
    "message.rejected": messages.rejected,
  };
  const missing = Object.entries(parts).flatMap(([name, part]) => (typeof part === "function" ? [] : [name]));
  const create = member(session, "create_sender");
  const link: unknown = typeof create === "function" ? create.call(session, "check", {}) : undefined;
  for (const method of ["_get_drain", "on_attach", "is_remote_open"]) {
    if (typeof member(link, method) !== "function") missing.push(`sender.${method}`);
  }
  for (const counter of ["credit", "delivery_count"]) {
    if (typeof member(link, counter) !== "number") missing.push(`sender.${counter}`);
  }
  if (member(member(session, "links"), "check") !== link) missing.push("session.links");
  if (typeof member(member(link, "state"), "open_requests") !== "number") missing.push("sender.state.open_requests");
  if (typeof member(link, "issue_flow") !== "boolean") missing.push("sender.issue_flow");
  if (missing.length > 0) {
    throw new Error(`The bus needs rhea 3.0.5; the one installed lacks ${missing.join(", ")}`);
  }
}

function functions(name: string, owner: unknown, methods: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(methods.map((method) => [`${name}.${method}`, member(owner, method)]));
}

function member(owner: unknown, name: string): unknown {
  return owner !== null && typeof owner === "object" ? Reflect.get(owner, name) : undefined;
}
