// The AMQP port: accepts connections, and gives each link to what its address names.

import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import rhea, { type EventContext } from "rhea";
import { passRaw, smoothOutput } from "./amqp-connection.ts";
import type { Broker } from "./broker.ts";
import { answerClaim } from "./claims.ts";
import { answerManagement } from "./management.ts";
import type { Queue } from "./queue.ts";
import { ReceiveLink } from "./receive-link.ts";
import { type Responder, serveRequests } from "./request-link.ts";
import type { BusConnection, BusSession, ReceiverLink, SenderLink, Terminus } from "./rhea-internals.ts";
import { MAX_MESSAGE_BYTES, SendLink } from "./send-link.ts";
import { SESSION_FILTER, SessionLink } from "./session-link.ts";

const CBS = "$cbs";
const MANAGEMENT_SUFFIX = "/$management";
/** The client must have seen the attach as opened before the detach that refuses it arrives. */
const REFUSAL_DELAY_MS = 10;
const MAX_FRAME_BYTES = 65_536;
const IDLE_TIMEOUT_MS = 120_000;
/** How long what is answered may take to leave before the sockets are destroyed. */
const CLOSE_GRACE_MS = 200;

interface OpenLink {
  readonly queue: Queue;
  /** The client has closed the link. */
  leave(): void;
  /** The broker closes it. */
  end(condition: string, description: string): void;
}

/** What one connection has open. */
interface Peer {
  readonly links: Map<unknown, OpenLink>;
  /** Links that carry responses, by link name: that is what the SDK puts in `reply_to`. */
  readonly replies: Map<string, SenderLink>;
}

export class AmqpServer {
  readonly #broker: Broker;
  readonly #now: () => number;
  readonly #log: (line: string) => void;
  readonly #peers = new Map<unknown, Peer>();
  /** Those too that never spoke AMQP. */
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  constructor(broker: Broker, now: () => number, log: (line: string) => void) {
    this.#broker = broker;
    this.#now = now;
    this.#log = log;
    broker.onDeleted = (queue) => this.#endLinks(queue);
  }

  /** @returns the port. Rejects with Node's error if it is taken. */
  async listen(port: number): Promise<number> {
    const container = rhea.create_container({ id: "local-bus" });
    const mechanisms = container.sasl_server_mechanisms;
    mechanisms.enable_anonymous();
    // Service Bus's own: no secret in the handshake, the token comes over $cbs. Older SDKs in other languages insist on it.
    Object.assign(mechanisms, { MSSBCBS: mechanisms["ANONYMOUS"] });
    this.#handle(container);
    this.#server = container.listen({
      port,
      host: "127.0.0.1",
      noDelay: true,
      max_frame_size: MAX_FRAME_BYTES,
      idle_time_out: IDLE_TIMEOUT_MS,
      autoaccept: false,
      credit_window: 0,
      treat_modified_as_released: false,
    } as Parameters<typeof container.listen>[0]);
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Sends what is already answered, then drops the connections without an AMQP close. A client of the SDK that is told of
   * the close goes on using its dead `$cbs` links when the broker is back soon, and its next send hangs; a connection that
   * breaks it replaces.
   */
  async close(): Promise<void> {
    const closed = this.#server ? once(this.#server, "close") : Promise.resolve();
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroySoon();
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, CLOSE_GRACE_MS);
    await closed;
    clearTimeout(timer);
  }

  #handle(container: ReturnType<typeof rhea.create_container>): void {
    container.on("connection_open", ({ connection }: EventContext) => {
      smoothOutput(connection as BusConnection);
      this.#peers.set(connection, { links: new Map(), replies: new Map() });
      this.#broker.counts.connections += 1;
    });
    container.on("session_open", ({ session }: EventContext) => session && passRaw(session as BusSession));
    container.on("receiver_open", ({ receiver }: EventContext) => this.#openReceiver(receiver as ReceiverLink));
    container.on("sender_open", ({ sender }: EventContext) => this.#openSender(sender as unknown as SenderLink));
    for (const event of ["receiver_close", "sender_close"]) {
      container.on(event, ({ connection, receiver, sender }: EventContext) =>
        this.#forget(connection, receiver ?? sender),
      );
    }
    container.on("session_close", ({ connection, session }: EventContext) => {
      for (const link of this.#peers.get(connection)?.links.keys() ?? []) {
        if ((link as SenderLink).session === (session as unknown)) this.#forget(connection, link);
      }
    });
    for (const event of ["connection_close", "disconnected"]) {
      container.on(event, ({ connection }: EventContext) => this.#forgetAll(connection));
    }
    // Without a listener each of these would end the process or write to the console.
    for (const event of [
      "receiver_error",
      "sender_error",
      "session_error",
      "connection_error",
      "protocol_error",
      "error",
    ]) {
      container.on(event, (cause: unknown) => this.#log(`AMQP ${event}: ${describe(cause)}`));
    }
  }

  /** The client sends. */
  #openReceiver(link: ReceiverLink): void {
    const address = readAddress(link.remote.attach.target);
    const peer = this.#peers.get(link.connection);
    link.set_source({ address: readAddress(link.remote.attach.source) });
    link.set_target({ address });
    link.local.attach.max_message_size = MAX_MESSAGE_BYTES;
    const responder = this.#findResponder(address);
    const queue = this.#broker.find(address);
    if (responder) serveRequests(link, responder, (replyTo) => peer && replyLink(peer, replyTo, address));
    else if (queue) peer?.links.set(link, new SendLink(link, queue));
    else refuse(link, "amqp:not-found", notFound(address));
  }

  /** The client receives. */
  #openSender(link: SenderLink): void {
    const address = readAddress(link.remote.attach.source);
    const peer = this.#peers.get(link.connection);
    const { rcv_settle_mode: receiverMode, snd_settle_mode: senderMode } = link;
    Object.assign(link.local.attach, { rcv_settle_mode: receiverMode, snd_settle_mode: senderMode });
    link.set_source({ address });
    link.set_target({ address: readAddress(link.remote.attach.target) });
    const queue = this.#broker.find(address);
    if (this.#findResponder(address)) peer?.replies.set(link.name, link);
    else if (queue) this.#receive(link, queue, address, peer);
    else refuse(link, "amqp:not-found", notFound(address));
  }

  #receive(link: SenderLink, queue: Queue, address: string, peer: Peer | undefined): void {
    const filter = link.remote.attach.source?.filter ?? {};
    const wantsSession = SESSION_FILTER in filter;
    if (queue.sessions && wantsSession) {
      peer?.links.set(link, new SessionLink(link, queue, queue.sessions, address, filter[SESSION_FILTER]));
    } else if (queue.sessions || wantsSession) {
      refuse(link, "amqp:not-allowed", `The queue '${address}' ${queue.sessions ? "requires" : "has no"} sessions.`);
    } else {
      peer?.links.set(link, new ReceiveLink(link, queue));
    }
  }

  #findResponder(address: string): Responder | undefined {
    if (address.toLowerCase() === CBS) return (request) => answerClaim(request, this.#now());
    if (!address.toLowerCase().endsWith(MANAGEMENT_SUFFIX)) return undefined;
    const entity = address.slice(0, -MANAGEMENT_SUFFIX.length);
    return this.#broker.find(entity) && ((request) => answerManagement(this.#broker.find(entity), request));
  }

  #forget(connection: unknown, link: unknown): void {
    const peer = this.#peers.get(connection);
    peer?.links.get(link)?.leave();
    peer?.links.delete(link);
    for (const [name, reply] of peer?.replies ?? []) if (reply === link) peer?.replies.delete(name);
  }

  #forgetAll(connection: unknown): void {
    for (const link of this.#peers.get(connection)?.links.keys() ?? []) this.#forget(connection, link);
    this.#peers.delete(connection);
  }

  #endLinks(queue: Queue): void {
    for (const { links } of this.#peers.values()) {
      for (const link of links.values()) {
        if (link.queue === queue || link.queue === queue.deadLetter) link.end("amqp:not-found", notFound(queue.name));
      }
    }
  }
}

/** Clients that name no address to reply to listen at the one that they ask. */
function replyLink({ replies }: Peer, replyTo: string, asked: string): SenderLink | undefined {
  const listening = [...replies.values()];
  return replies.get(replyTo) ?? listening.find(({ remote }) => readAddress(remote.attach.source) === asked);
}

function refuse(link: ReceiverLink | SenderLink, condition: string, description: string): void {
  setTimeout(() => {
    if (link.is_open()) link.close({ condition, description });
  }, REFUSAL_DELAY_MS);
}

/** The SDK makes MessagingEntityNotFound of `amqp:not-found` only if the description reads like this. */
function notFound(address: string): string {
  return `The messaging entity '${address}' could not be found.`;
}

/** An entity's path, which some clients write as a whole URL. */
function readAddress(terminus: Terminus | null | undefined): string {
  return (terminus?.address ?? "").replace(/^amqps?:\/\/[^/]*/, "").replace(/^\//, "");
}

function describe(cause: unknown): string {
  if (cause instanceof Error) return cause.message;
  const { error, receiver, sender, session, connection } = cause as Partial<EventContext>;
  const found = error ?? receiver?.error ?? sender?.error ?? session?.error ?? connection?.error;
  return found && "description" in found ? String(found.description) : String(found);
}
