// Serves AMQP: takes over connections, and keeps what each of them has open.
import type { Socket } from "node:net";
import rhea, { type ConnectionOptions, type EventContext } from "rhea";
import { quotaFault } from "../../limit.ts";
import type { Broker } from "../broker.ts";
import { BUS_LIMITS } from "../limits.ts";
import type { BusyQueues } from "../links/busy-queues.ts";
import { isKey } from "../links/claims.ts";
import type { Log } from "../links/link-faults.ts";
import { notFound, unclaimed } from "../links/link-refusals.ts";
import { isClaimed, type LinkSurroundings, openReceiver, openSender } from "../links/open-links.ts";
import { Peer } from "../links/peer.ts";
import type { Queue } from "../queue/queue.ts";
import {
  type BusConnection,
  type BusSession,
  mechanismOf,
  type ReceiverLink,
  type SenderLink,
} from "../rhea-internals.ts";
import { checkOpen, guardConnection, smoothOutput } from "./amqp-connection.ts";
import { guardSession } from "./amqp-session.ts";
import { MAX_CHANNEL, MAX_FRAME_BYTES, ProtocolFault } from "./frame-reader.ts";

const IDLE_TIMEOUT_MS = 120_000;
const TICK_MS = 1000;

const CONNECTION_OPTIONS = {
  max_frame_size: MAX_FRAME_BYTES,
  channel_max: MAX_CHANNEL,
  idle_time_out: IDLE_TIMEOUT_MS,
  autoaccept: false,
  credit_window: 0,
  treat_modified_as_released: false,
};

/** What Azure asks of its clients, and this broker only where it is told to. */
export interface Strictness {
  /** A client needs a token for each entity that it uses, as in Azure, and its links end when that expires. */
  readonly requireClaims?: boolean | undefined;
  /** A sender that sends nothing for so long is detached. If absent, after ten minutes, as in Azure. */
  readonly idleDetachMs?: number | undefined;
}

export class AmqpServer {
  readonly #broker: Broker;
  readonly #around: LinkSurroundings;
  readonly #log: Log;
  readonly #peers = new Map<unknown, Peer>();
  readonly #container = rhea.create_container({ id: "local-bus" });
  /** Of clients that gave the key in the handshake, which is good for all entities. */
  readonly #plain = new WeakSet<object>();
  readonly #expiring: NodeJS.Timeout | undefined;
  readonly #detaching: NodeJS.Timeout;

  constructor(broker: Broker, now: () => number, log: Log, busy: BusyQueues, strictness: Strictness) {
    this.#broker = broker;
    const { requireClaims: requiresClaims = false, idleDetachMs = BUS_LIMITS.idleSenderMs.value } = strictness;
    this.#around = { broker, log, now, requiresClaims, busy };
    this.#detaching = setInterval(() => this.#detachIdle(idleDetachMs), TICK_MS);
    this.#log = log;
    if (requiresClaims) this.#expiring = setInterval(() => this.#endUnclaimed(), TICK_MS);
    broker.catalog.onDeleted = (queue) => this.#endLinks(queue);
    const mechanisms = this.#container.sasl_server_mechanisms;
    mechanisms.enable_anonymous();
    mechanisms.enable_plain(isKey);
    const open = mechanisms["PLAIN"] as () => object;
    const plain = () => {
      const mechanism = open();
      this.#plain.add(mechanism);
      return mechanism;
    };
    // Service Bus's own: no secret in the handshake, the token comes over $cbs. Older SDKs in other languages insist on it.
    Object.assign(mechanisms, { MSSBCBS: mechanisms["ANONYMOUS"], PLAIN: plain });
    this.#handle();
  }

  /** A client's connection, on which nothing was read yet. */
  accept(socket: Socket): void {
    const connection = this.#container.create_connection(
      CONNECTION_OPTIONS as object as ConnectionOptions,
    ) as BusConnection;
    socket.once("close", () => connection._disconnected());
    guardConnection(connection, this.#log);
    connection.accept(socket);
  }

  close(): void {
    clearInterval(this.#expiring);
    clearInterval(this.#detaching);
  }

  #detachIdle(idleMs: number): void {
    for (const { links } of this.#peers.values()) {
      for (const link of links.values()) {
        if (link.usedAt === undefined || this.#around.now() - link.usedAt < idleMs) continue;
        const description = `The link was idle for ${idleMs / 1000} s.`;
        link.end("amqp:link:detach-forced", description);
      }
    }
  }

  #endUnclaimed(): void {
    for (const peer of this.#peers.values()) {
      for (const link of peer.links.values()) {
        if (isClaimed(link.queue, peer, this.#around)) continue;
        const { condition, description } = unclaimed(link.queue, link.direction);
        link.end(condition, `The token has expired. ${description}`);
      }
    }
  }

  #handle(): void {
    const container = this.#container;
    container.on("connection_open", ({ connection }: EventContext) => {
      checkOpen(connection as BusConnection);
      const tooMany = quotaFault(BUS_LIMITS.connections, this.#peers.size + 1);
      if (tooMany !== undefined) throw new ProtocolFault("amqp:resource-limit-exceeded", tooMany);
      smoothOutput(connection as BusConnection);
      const peer = new Peer();
      if (this.#plain.has(mechanismOf(connection as BusConnection) ?? {}))
        peer.claims.put("", Number.POSITIVE_INFINITY);
      this.#peers.set(connection, peer);
      this.#broker.counts.connections += 1;
    });
    container.on("session_open", ({ session }: EventContext) => guardSession(session as unknown as BusSession));
    container.on("receiver_open", ({ connection, receiver }: EventContext) => {
      openReceiver(receiver as ReceiverLink, this.#peer(connection), this.#around);
    });
    container.on("sender_open", ({ connection, sender }: EventContext) => {
      openSender(sender as unknown as SenderLink, this.#peer(connection), this.#around);
    });
    for (const event of ["receiver_close", "sender_close"]) {
      container.on(event, ({ connection, receiver, sender }: EventContext) =>
        this.#peers.get(connection)?.forget(receiver ?? sender),
      );
    }
    container.on("session_close", ({ connection, session }: EventContext) => {
      this.#peers.get(connection)?.forgetSession(session);
    });
    for (const event of ["connection_close", "disconnected"]) {
      container.on(event, ({ connection }: EventContext) => {
        this.#peers.get(connection)?.forgetAll();
        this.#peers.delete(connection);
      });
    }
    // Without a listener each of these would end the process or write to the console.
    for (const event of ["receiver_error", "sender_error", "session_error", "connection_error"]) {
      container.on(event, (cause: unknown) => this.#log(`AMQP ${event}: ${describe(cause)}`));
    }
  }

  #peer(connection: unknown): Peer {
    const peer = this.#peers.get(connection);
    if (!peer) throw new Error("A link was attached on a connection that is not open");
    return peer;
  }

  /** Of an entity that is deleted, and of its dead-letter queue. */
  #endLinks(queue: Queue): void {
    for (const { links } of this.#peers.values()) {
      for (const link of links.values()) {
        if (link.queue !== queue && link.queue !== queue.deadLetter) continue;
        link.end("amqp:not-found", notFound(queue.name));
      }
    }
  }
}

function describe(cause: unknown): string {
  const { error, receiver, sender, session, connection } = cause as Partial<EventContext>;
  const found = error ?? receiver?.error ?? sender?.error ?? session?.error ?? connection?.error;
  return found && "description" in found ? String(found.description) : String(found);
}
