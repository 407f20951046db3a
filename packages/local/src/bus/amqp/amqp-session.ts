// One client's AMQP session: hands raw messages on undecoded, tells links apart by direction, and holds a client to the limits.
import type {
  AttachFrame,
  BusSession,
  Described,
  DispositionFrame,
  FlowFrame,
  ReceiverLink,
  SenderLink,
  TransferFrame,
} from "../rhea-internals.ts";
import { ProtocolFault } from "./frame-reader.ts";

/** rhea decodes messages of format 0 only; under this one they arrive as the bytes that were sent. */
const RAW_FORMAT = 0x7fff_0001;
/** The client gave up in the middle of a message. */
export const ABORTED_FORMAT = 0x7fff_0002;
/** A batch: each data section holds one encoded message. */
export const BATCH_FORMAT = 0x8001_3700;

/** A message of which more came than is kept: it is rejected at its end. */
export const OVERSIZED_FORMAT = 0x7fff_0003;

const MOST_KEPT_BYTES = 1024 * 1024;
/** A link that goes on beyond the largest message of any tier is closed. */
const MAX_TRANSFER_BYTES = 100 * 1024 * 1024;
const MAX_LINKS = 4096;
/** What may stand at the ends of a link. */
const TERMINI = [0x28, 0x29, "amqp:source:list", "amqp:target:list"];
/** What a client attaches to that declares transactions. */
const COORDINATORS = [0x30, "amqp:coordinator:list"];
const TRANSACTIONAL_STATES = [0x34, "amqp:transactional-state:list"];
/** The answer to whoever wants some. */
export const NO_TRANSACTIONS =
  "Transactions, and sending by way of another entity, are not supported by this broker: it commits each message by itself.";
/** Of a transfer. */
const STATE_FIELD = 7;
const NOTHING = Buffer.alloc(0);

export function guardSession(session: BusSession): void {
  tellLinksApart(session);
  limitTransfers(session);
  limitDispositions(session);
  const flow = session.on_flow;
  session.on_flow = (frame: FlowFrame) => {
    const { performative } = frame;
    // Before it has seen the attach, a receiver knows no count: it is the initial one (part 2, section 2.7.4).
    if (typeof performative.handle === "number" && typeof performative.delivery_count !== "number") {
      performative.delivery_count = 0;
    }
    flow.call(session, frame);
  };
}

/** rhea keeps links by name alone; two of one name, in two directions, are two links (part 2, section 2.6.1). */
function tellLinksApart(session: BusSession): void {
  session.links = Object.create(null) as BusSession["links"];
  const key = (name: string, isSender: boolean) => `${isSender ? "sender" : "receiver"} ${name}`;
  session.on_attach = (frame: AttachFrame) => {
    const { name, handle, role: isSender } = frame.performative;
    if (session.remote.handles[handle]?.is_remote_open()) {
      throw new ProtocolFault("amqp:session:handle-in-use", `The handle ${handle} is in use`);
    }
    if (session.links[key(name, isSender)]?.is_remote_open()) {
      throw new ProtocolFault("amqp:illegal-state", `The link ${name} is attached already`);
    }
    if (Object.keys(session.links).length >= MAX_LINKS) {
      throw new ProtocolFault("amqp:resource-limit-exceeded", `A session may have ${MAX_LINKS} links`);
    }
    const link = isSender ? session.create_sender(name) : session.create_receiver(name);
    delete session.links[name];
    session.links[key(name, isSender)] = link;
    session.remote.handles[handle] = link;
    link.remote.handle = handle;
    readTermini(link, frame);
    link.on_attach(frame);
  };
  session.remove_link = (link) => {
    const { handle } = link.remote;
    if (handle !== undefined && session.remote.handles[handle] === link) delete session.remote.handles[handle];
    delete session.local.handles[link.local.handle];
    if (session.links[key(link.name, link.is_sender())] === link)
      delete session.links[key(link.name, link.is_sender())];
  };
}

/** rhea knows no coordinator, and writes to the console about what else it does not know. */
function readTermini(link: SenderLink | ReceiverLink, { performative }: AttachFrame): void {
  const { source, target } = performative;
  if (isReceiver(link)) link.isCoordinator = isOneOf(COORDINATORS, target);
  if (!isOneOf(TERMINI, source)) performative.source = null;
  if (!isOneOf(TERMINI, target)) performative.target = null;
}

function isOneOf(codes: readonly (number | string)[], value: Described | null | undefined): boolean {
  return codes.includes(value?.descriptor?.value as never);
}

/** Nothing is done at once that a client wants to be done with others or not at all. */
function refuseTransaction(state: Described | null | undefined): void {
  if (isOneOf(TRANSACTIONAL_STATES, state)) throw new ProtocolFault("amqp:not-implemented", NO_TRANSACTIONS);
}

function limitTransfers(session: BusSession): void {
  const receive = session.on_transfer;
  session.on_transfer = (frame: TransferFrame) => {
    const { performative } = frame;
    const link = session.remote.handles[performative.handle];
    if (!link || !isReceiver(link)) {
      throw new ProtocolFault("amqp:session:unattached-handle", `No sender is attached as ${performative.handle}`);
    }
    if (!link._incomplete && typeof performative.delivery_id !== "number") {
      throw new ProtocolFault("amqp:invalid-field", "The first transfer of a delivery needs a delivery-id");
    }
    // Decoding costs more than all the rest, and re-encoding is lossy.
    if (!performative.message_format) performative.message_format = RAW_FORMAT;
    frame.payload ??= NOTHING;
    refuseTransaction(performative.value[STATE_FIELD]);
    if (performative.aborted) abort(link, frame);
    else limit(link, frame);
    receive.call(session, frame);
  };
}

function isReceiver(link: ReceiverLink | SenderLink): link is ReceiverLink {
  return link.is_receiver();
}

function abort(link: ReceiverLink, { performative }: TransferFrame): void {
  performative.more = false;
  if (link._incomplete) link._incomplete.format = ABORTED_FORMAT;
  else performative.message_format = ABORTED_FORMAT;
}

function limit(link: ReceiverLink, frame: TransferFrame): void {
  const { _incomplete: incomplete } = link;
  if (!incomplete && link.credit <= 0) {
    link.close({ condition: "amqp:link:transfer-limit-exceeded", description: "The link has no credit." });
    // rhea goes on counting on a link that is closing.
    link.credit = 1;
  }
  if (!incomplete) return;
  incomplete.bytes = (incomplete.bytes ?? 0) + (frame.payload?.length ?? 0);
  if (incomplete.bytes > MAX_TRANSFER_BYTES) {
    const description = `A message may have ${MAX_TRANSFER_BYTES} bytes on its way.`;
    link.close({ condition: "amqp:link:message-size-exceeded", description });
  }
  if (incomplete.bytes > MOST_KEPT_BYTES) incomplete.format = OVERSIZED_FORMAT;
  else if (link.is_open()) return;
  // What still comes is not kept.
  incomplete.frames = [];
  frame.payload = NOTHING;
}

/** rhea goes through every id that a disposition names, and mistakes ids that were settled long ago for others. */
function limitDispositions(session: BusSession): void {
  const receive = session.on_disposition;
  session.on_disposition = (frame: DispositionFrame) => {
    const { performative } = frame;
    const { deliveries } = performative.role ? session.outgoing : session.incoming;
    const [head, tail] = [deliveries.get_head(), deliveries.get_tail()];
    if (!head || !tail) return;
    const { first } = performative;
    const last = performative.last ?? first;
    if (first < head.id) performative.first = head.id;
    if (last > tail.id) performative.last = tail.id;
    if (last < head.id || first > tail.id) return;
    refuseTransaction(performative.state);
    receive.call(session, frame);
  };
}
