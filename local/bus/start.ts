// Starts the broker: its AMQP port and its administration port over one database.
import { join } from "node:path";
import type { Durability } from "../database/database.ts";
import { AdminServer } from "./admin-server.ts";
import { AmqpServer } from "./amqp-server.ts";
import { Broker } from "./broker.ts";
import { KEY, KEY_NAME } from "./claims.ts";
import { type DeclaredEntities, declare } from "./declare.ts";
import { checkInternals } from "./rhea-internals.ts";
import { Store } from "./store.ts";

export interface BusOptions extends DeclaredEntities {
  /** AMQP; 0: any free one. */
  readonly port: number;
  /** HTTP; 0: any free one. */
  readonly adminPort: number;
  /** A folder, made if absent. */
  readonly data: string;
  readonly durability?: Durability;
  readonly log?: (line: string) => void;
}

export interface RunningBus {
  readonly port: number;
  readonly adminPort: number;
  readonly connectionString: string;
  close(): Promise<void>;
}

export async function startBus(options: BusOptions): Promise<RunningBus> {
  checkInternals();
  const log = options.log ?? (() => {});
  const store = new Store(join(options.data, "bus.sqlite"), options.durability ?? "normal");
  const broker = new Broker(store, Date.now);
  const amqp = new AmqpServer(broker, Date.now, log);
  const admin = new AdminServer(broker, store, Date.now, log);
  try {
    await declare(broker.catalog, options, Date.now());
    const port = await amqp.listen(options.port);
    const adminPort = await admin.listen(options.adminPort);
    log(`Service Bus on port ${port}, administration on port ${adminPort}`);
    return {
      port,
      adminPort,
      connectionString: connectionString(port),
      close: () => close(broker, amqp, admin, store),
    };
  } catch (cause) {
    await close(broker, amqp, admin, store);
    throw cause;
  }
}

/** In emulator mode the SDK connects without TLS; to the port it is given. */
function connectionString(port: number): string {
  return `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=${KEY_NAME};SharedAccessKey=${KEY};UseDevelopmentEmulator=true;`;
}

async function close(broker: Broker, amqp: AmqpServer, admin: AdminServer, store: Store): Promise<void> {
  // What has arrived is committed and answered before the connections go.
  await store.commit(() => undefined);
  await Promise.all([amqp.close(), admin.close()]);
  broker.close();
  store.close();
}
