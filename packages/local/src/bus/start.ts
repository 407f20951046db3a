// Starts the broker: its AMQP port and its administration port over one database, both with TLS if requested.
import { join } from "node:path";
import type { Durability } from "../database/database.ts";
import { type Credentials, credentialsIn, type TlsFolder } from "../listener/certificate.ts";
import { type ConnectionHandlers, PortListener } from "../listener/port-listener.ts";
import { AdminServer } from "./admin/admin-server.ts";
import { AmqpServer, type Strictness } from "./amqp/amqp-server.ts";
import { Broker } from "./broker.ts";
import { connectionString } from "./connection-string.ts";
import { declare } from "./entities/declare.ts";
import type { DeclaredEntities } from "./entities/declared-entities.ts";
import { BusyQueues } from "./links/busy-queues.ts";
import { KEY, KEY_NAME } from "./links/claims.ts";
import { Store } from "./queue/store.ts";
import { checkInternals } from "./rhea-internals.ts";

/** The broker's ports, its data, and its initial queues. */
export interface BusOptions extends DeclaredEntities, Strictness {
  /** AMQP; 0: any free one. */
  readonly port: number;
  /** HTTP; 0: any free one. */
  readonly adminPort: number;
  /** Both ports accept TLS as well, with a certificate that is created here; and one more port accepts only TLS. 0: any free one. */
  readonly tls?: (TlsFolder & { readonly port: number }) | undefined;
  /** A folder; created if absent. */
  readonly data: string;
  readonly durability?: Durability;
  /** Each such send, of all, is answered with `com.microsoft:server-busy` and not taken. If absent, none is. */
  readonly serverBusyEvery?: number | undefined;
  readonly log?: (line: string) => void;
}

/** A running broker. */
export interface RunningBus {
  readonly port: number;
  readonly adminPort: number;
  readonly connectionString: string;
  readonly tls: RunningTls | undefined;
  close(): Promise<void>;
}

/** The address for clients over TLS. */
interface RunningTls {
  readonly port: number;
  /** For clients of both protocols: administration over HTTPS is on the same port. */
  readonly connectionString: string;
  /** The certificate that clients have to trust, in PEM. */
  readonly certificateFile: string;
}

/**
 * Starts a broker in this process; resolves when it answers.
 * @throws Node's `EADDRINUSE` error for a busy port, and one error for invalid entities
 */
export async function startBus(options: BusOptions): Promise<RunningBus> {
  checkInternals();
  const log = options.log ?? (() => {});
  const store = new Store(join(options.data, "bus.sqlite"), options.durability ?? "normal");
  const broker = new Broker(store, Date.now);
  const busy = new BusyQueues(options.serverBusyEvery);
  const amqp = new AmqpServer(broker, Date.now, log, busy, options);
  const admin = new AdminServer({ broker, store }, busy, Date.now, log);
  const listeners: PortListener[] = [];
  const close = async () => {
    // Received messages are committed and answered before the connections close. The connections end without an AMQP close: after a close, a
    // client of the SDK continues to use its dead `$cbs` links when the broker is soon available again, and its next send hangs. If the
    // connection breaks, the client replaces the links.
    await store.commit(() => undefined);
    await Promise.all(listeners.map((listener) => listener.close()));
    amqp.close();
    broker.close();
    store.close();
  };
  try {
    const credentials = options.tls && credentialsIn(options.tls.folder ?? join(options.data, "tls"), Date.now());
    await declare(broker.catalog, options);
    const handlers = {
      amqp: amqp.accept.bind(amqp),
      http: admin.connections.accept.bind(admin.connections),
    };
    // An AMQP connection begins with its name; all other TLS connections are HTTP.
    const secure: ConnectionHandlers["secure"] = (socket, first) =>
      handlers[first === "A".charCodeAt(0) ? "amqp" : "http"](socket);
    const listen = (plain: ConnectionHandlers["plain"], port: number) => {
      const listener = new PortListener({ plain, secure }, log, credentials);
      listeners.push(listener);
      return listener.listen(port);
    };
    const port = await listen(handlers.amqp, options.port);
    const adminPort = await listen(handlers.http, options.adminPort);
    log(`Service Bus on port ${port}, administration on port ${adminPort}`);
    const tls =
      options.tls &&
      credentials &&
      runningTls(await listen((socket) => socket.destroy(), options.tls.port), credentials);
    return { port, adminPort, connectionString: connectionString(port), tls, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

function runningTls(port: number, { certificateFile }: Credentials): RunningTls {
  const key = `SharedAccessKeyName=${KEY_NAME};SharedAccessKey=${KEY};`;
  return { port, certificateFile, connectionString: `Endpoint=sb://localhost:${port};${key}` };
}
