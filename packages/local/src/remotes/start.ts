// Starts simulated remote services: one HTTP server each, one list of effects for all.
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Database, type Durability } from "../database/database.ts";
import { type ParsedService, parseRemotes, type RemoteService } from "./definition.ts";
import { createServiceServer } from "./http.ts";
import { Service } from "./service.ts";
import { QueueWorker, type QueueWorkerOptions } from "./worker.ts";

export type { RemoteService, SimulatedRequest } from "./definition.ts";
export {
  type InMemoryAnswer,
  type InMemoryRequest,
  type InMemoryService,
  inMemoryServices,
} from "./in-memory.ts";

/** The simulated services, and the folder of their effects. */
export interface RemotesOptions {
  readonly services: readonly RemoteService[];
  /** A folder; created if absent. */
  readonly data: string;
  readonly durability?: Durability;
  /** The connection string of the bus that services with a queue take their requests from. */
  readonly bus?: string | undefined;
  readonly host?: string;
  readonly log?: (line: string) => void;
}

/** Running services, in the sequence of the options. */
export interface RunningRemotes {
  readonly services: readonly { readonly name: string; readonly url: string; readonly port: number }[];
  /** Answers the accepted requests, then closes the ports. */
  close(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";
const IDLE_SWEEP_MS = 20;
const CLOSE_LIMIT_MS = 3000;

/** Starts the services in this process. Resolves when all answer. Rejects with every fault of `services`, or with the EADDRINUSE of a busy port. */
export async function startRemotes(options: RemotesOptions): Promise<RunningRemotes> {
  const { data, durability, host = LOOPBACK, log = () => undefined } = options;
  const definitions = parseRemotes({ services: options.services });
  const database = new Database(join(data, "remotes.sqlite"), durability);
  const hurry = new AbortController();
  const services = definitions.map((definition) => new Service(database, definition, log));
  const servers = services.map((service) =>
    createServiceServer({
      service,
      database,
      hurry: hurry.signal,
      log,
    }),
  );
  const workers: QueueWorker[] = [];
  const close = async () => {
    hurry.abort();
    await Promise.all(workers.map((worker) => worker.close()));
    for (const service of services) service.close();
    await Promise.all(servers.map(closeServer));
    database.close();
  };
  const started = await Promise.allSettled(servers.map((server, index) => listen(server, definitions[index], host)));
  const failed = started.find((result) => result.status === "rejected");
  if (failed) {
    await close();
    throw failed.reason;
  }
  workers.push(...(await startWorkers(options.bus, services, { database, hurry: hurry.signal, log })));
  const running = servers.map((server, index) => {
    const { port } = server.address() as AddressInfo;
    return { name: definitions[index]?.name ?? "", url: `http://${host}:${port}`, port };
  });
  return { services: running, close };
}

async function startWorkers(
  bus: string | undefined,
  services: readonly Service[],
  surroundings: Pick<QueueWorkerOptions, "database" | "hurry" | "log">,
): Promise<QueueWorker[]> {
  if (bus === undefined) return [];
  const started = services.flatMap((service) => {
    const { queue } = service;
    return queue ? [QueueWorker.start({ service, queue, bus, ...surroundings })] : [];
  });
  return Promise.all(started);
}

async function listen(server: Server, definition: ParsedService | undefined, host: string): Promise<void> {
  server.listen(definition?.port, host);
  await once(server, "listening");
}

/** Requests in progress are answered; connections that are or become idle are closed. */
async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.on("request", (_request, response) => response.setHeader("Connection", "close"));
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  // A request whose body never ends would keep the port open permanently.
  const limit = setTimeout(() => server.closeAllConnections(), CLOSE_LIMIT_MS);
  await closed.finally(() => {
    clearInterval(idle);
    clearTimeout(limit);
  });
}
