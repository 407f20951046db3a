// Starts the Cosmos DB server: storage, the containers it is asked to have, the HTTP port and the sweep of what expired.
import { join } from "node:path";
import { Database, type Durability } from "../database/database.ts";
import { type Credentials, credentialsIn, type TlsFolder } from "../listener/certificate.ts";
import { PortListener } from "../listener/port-listener.ts";
import { Catalog } from "./catalog.ts";
import { containerFault } from "./containers.ts";
import { completePolicy } from "./indexing.ts";
import { CosmosServer } from "./server.ts";
import { EMULATOR_KEY } from "./signature.ts";
import type { JsonObject } from "./sql/values.ts";

/** A database and its containers, in the shape of `infra/entities/cosmos.json`. */
export interface CosmosResources {
  readonly database: string;
  readonly containers: readonly ContainerResource[];
}

/** A container as the REST API describes one. `defaultTtl` is in seconds. */
export interface ContainerResource {
  readonly id: string;
  readonly partitionKey: { readonly paths: readonly string[]; readonly kind?: string; readonly version?: number };
  readonly defaultTtl?: number;
  readonly indexingPolicy?: object;
}

/** Where the server listens, what it keeps, and which containers it begins with. */
export interface CosmosOptions {
  /** 0 is any free port. */
  readonly port: number;
  /** The port takes TLS as well, with a certificate that is made here. */
  readonly tls?: TlsFolder | undefined;
  /** The folder of the database file; made if absent. */
  readonly data: string;
  /** Created if absent; an indexing policy or time to live that differs is brought up to date. */
  readonly resources?: CosmosResources;
  readonly durability?: Durability;
  /** How often what has expired is taken off the disk; it is invisible from the moment it expires. */
  readonly sweepEveryMs?: number;
  readonly log?: (line: string) => void;
}

/** A running Cosmos DB server. */
export interface RunningCosmos {
  readonly port: number;
  readonly endpoint: string;
  readonly connectionString: string;
  readonly tls: RunningTls | undefined;
  /** Answers what it has accepted, then leaves the port. */
  close(): Promise<void>;
}

/** Where clients connect over TLS. */
export interface RunningTls {
  /** On the same port. */
  readonly endpoint: string;
  readonly connectionString: string;
  /** What clients have to trust, in PEM. */
  readonly certificateFile: string;
}

const SWEEP_EVERY_MS = 5000;

/**
 * Starts a Cosmos DB server in this process; resolves when it answers.
 * @throws Node's `EADDRINUSE` error for a busy port, and an error for a container that is not valid
 */
export async function startCosmos(options: CosmosOptions): Promise<RunningCosmos> {
  const { data, resources, durability = "normal", sweepEveryMs = SWEEP_EVERY_MS, log = () => {} } = options;
  const database = new Database(join(data, "cosmos.db"), durability);
  const catalog = new Catalog(database);
  if (resources) await provision(catalog, resources);
  const cosmos = new CosmosServer(catalog, database, log);
  const { connections } = cosmos;
  const credentials = options.tls && credentialsIn(options.tls.folder ?? join(data, "tls"), Date.now());
  const accept = connections.accept.bind(connections);
  const listener = new PortListener({ plain: accept, secure: accept }, log, credentials);
  const port = await listener.listen(options.port).catch((cause: unknown) => {
    database.close();
    throw cause;
  });
  const sweeping = setInterval(() => {
    cosmos.sweep().catch((cause: unknown) => log(`The sweep of expired documents failed: ${String(cause)}`));
  }, sweepEveryMs);
  const endpoint = `http://127.0.0.1:${port}/`;
  log(`Cosmos DB answers at ${endpoint}`);
  return {
    port,
    endpoint,
    connectionString: connectionString(endpoint),
    tls: credentials && runningTls(port, credentials),
    async close() {
      clearInterval(sweeping);
      listener.leave();
      await connections.drain();
      await listener.close();
      database.close();
    },
  };
}

function connectionString(endpoint: string): string {
  return `AccountEndpoint=${endpoint};AccountKey=${EMULATOR_KEY};`;
}

function runningTls(port: number, { certificateFile }: Credentials): RunningTls {
  const endpoint = `https://localhost:${port}/`;
  return { endpoint, connectionString: connectionString(endpoint), certificateFile };
}

async function provision(catalog: Catalog, { database: id, containers }: CosmosResources): Promise<void> {
  const parent = catalog.databases.get(id) ?? (await catalog.createDatabase(id));
  if (!parent) throw new Error(`The database '${id}' could not be created.`);
  for (const wanted of containers) {
    const definition = JSON.parse(JSON.stringify(wanted)) as JsonObject;
    const wrong = containerFault(definition);
    if (wrong !== undefined) throw new Error(`The container '${wanted.id}' is not valid: ${wrong}`);
    const present = parent.containers.get(wanted.id);
    if (!present) await catalog.createContainer(parent, definition);
    else if (differs(present.definition, definition)) await catalog.replaceContainer(parent, present, definition);
  }
}

function differs(present: JsonObject, wanted: JsonObject): boolean {
  const policy = completePolicy(wanted["indexingPolicy"] ?? present["indexingPolicy"]);
  return (
    JSON.stringify([present["indexingPolicy"], present["defaultTtl"]]) !==
    JSON.stringify([policy, wanted["defaultTtl"]])
  );
}
