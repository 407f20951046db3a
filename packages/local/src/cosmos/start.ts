// Starts the Cosmos DB server: storage, the requested containers, the HTTP port and the removal of expired documents.
import { join } from "node:path";
import { Database, type Durability } from "../database/database.ts";
import type { JsonObject } from "../json.ts";
import { type Credentials, credentialsIn, type TlsFolder } from "../listener/certificate.ts";
import { PortListener } from "../listener/port-listener.ts";
import { type WithNotes, withoutNotes } from "../notes.ts";
import { inWords } from "../thrown.ts";
import { COSMOS_LIMITS } from "./limits.ts";
import { completePolicy } from "./queries/indexing.ts";
import { Catalog } from "./resources/catalog.ts";
import { containerFault, fixedFault } from "./resources/containers.ts";
import { declaredFault } from "./resources/declared-containers.ts";
import { MetadataRates } from "./resources/metadata-rates.ts";
import { EMULATOR_KEY } from "./resources/signature.ts";
import { Throughput } from "./resources/throughput.ts";
import { CosmosServer } from "./server.ts";
import { StaleReads } from "./stale-reads.ts";

/** A database and its containers; `notes` names members of both that have no effect here. */
interface CosmosResources extends WithNotes {
  readonly database: string;
  readonly containers: readonly ContainerResource[];
}

/** A container in the form of the REST API. `defaultTtl` is in seconds. */
export interface ContainerResource {
  readonly id: string;
  readonly partitionKey: { readonly paths: readonly string[]; readonly kind?: string; readonly version?: number };
  readonly defaultTtl?: number;
  readonly indexingPolicy?: object;
  readonly uniqueKeyPolicy?: { uniqueKeys: { paths: string[] }[] };
}

/** The server's port, its data, and its initial containers. */
export interface CosmosOptions {
  /** 0 is any free port. */
  readonly port: number;
  /** The port accepts TLS as well, with a certificate that is created here. */
  readonly tls?: TlsFolder | undefined;
  /** The folder of the database file; created if absent. */
  readonly data: string;
  /** Created if absent; a different indexing policy or time to live is updated. */
  readonly resources?: CosmosResources;
  readonly durability?: Durability;
  /** The interval for removing expired documents from the disk; they are invisible as soon as they expire. */
  readonly sweepEveryMs?: number;
  /**
   * A read without a session token that asks for more finds what was written up to so many milliseconds before, as from a
   * replica that lags behind. If absent, each read finds what was written last.
   */
  readonly staleReadsMs?: number | undefined;
  /**
   * Requests beyond so many request units a second of a container get a 429, as in Azure. If absent, no request is too much.
   */
  readonly throughput?: number | undefined;
  /** Requests for metadata beyond an account's rates get a 429, as in Azure. If absent, they are not counted. */
  readonly limitsMetadata?: boolean | undefined;
  /** How long a query reads before its page ends: less than in Azure for tests. */
  readonly executionMs?: number;
  /** The bytes that count as a GB where storage is limited: fewer for tests. If absent, as many as it has. */
  readonly gigabyte?: number;
  readonly log?: (line: string) => void;
}

/** A running Cosmos DB server. */
export interface RunningCosmos {
  readonly port: number;
  readonly endpoint: string;
  readonly connectionString: string;
  readonly tls: RunningTls | undefined;
  /** Answers the accepted requests, then closes the port. */
  close(): Promise<void>;
}

/** The address for clients over TLS. */
interface RunningTls {
  /** On the same port. */
  readonly endpoint: string;
  readonly connectionString: string;
  /** The certificate that clients have to trust, in PEM. */
  readonly certificateFile: string;
}

const SWEEP_EVERY_MS = 5000;

/**
 * Starts a Cosmos DB server in this process; resolves when it answers.
 * @throws Node's `EADDRINUSE` error for a busy port, and an error for an invalid container
 */
export async function startCosmos(options: CosmosOptions): Promise<RunningCosmos> {
  const { data, resources, durability = "normal", sweepEveryMs = SWEEP_EVERY_MS, log = () => {} } = options;
  const database = new Database(join(data, "cosmos.db"), durability);
  const catalog = new Catalog(database, options.gigabyte);
  if (resources) await provision(catalog, resources);
  const { staleReadsMs = 0 } = options;
  const staleReads = staleReadsMs > 0 ? new StaleReads(catalog, database.path, staleReadsMs) : undefined;
  const throughput = options.throughput === undefined ? undefined : new Throughput(options.throughput);
  const metadataRates = options.limitsMetadata ? new MetadataRates() : undefined;
  const { executionMs = COSMOS_LIMITS.executionMs.value } = options;
  const cosmos = new CosmosServer(catalog, database, log, { staleReads, throughput, metadataRates, executionMs });
  const { connections } = cosmos;
  const credentials = options.tls && credentialsIn(options.tls.folder ?? join(data, "tls"), Date.now());
  const accept = connections.accept.bind(connections);
  const listener = new PortListener({ plain: accept, secure: accept }, log, credentials);
  const port = await listener.listen(options.port).catch((cause: unknown) => {
    staleReads?.close();
    database.close();
    throw cause;
  });
  const sweeping = setInterval(() => {
    cosmos.sweep().catch((cause: unknown) => log(`The sweep of expired documents failed: ${inWords(cause)}`));
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
      staleReads?.close();
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

async function provision(catalog: Catalog, resources: CosmosResources): Promise<void> {
  const strange = declaredFault(resources);
  if (strange !== undefined) throw new Error(strange);
  const { database: id, containers } = resources;
  const parent = catalog.databases.get(id) ?? (await catalog.createDatabase(id));
  if (!parent) throw new Error(`The database '${id}' could not be created.`);
  for (const wanted of containers) {
    const definition = JSON.parse(JSON.stringify(withoutNotes(wanted, resources.notes ?? []))) as JsonObject;
    const wrong = containerFault(definition);
    if (wrong !== undefined) throw new Error(`The container '${wanted.id}' is not valid: ${wrong}`);
    const present = parent.containers.get(wanted.id);
    if (!present) {
      await catalog.createContainer(parent, definition);
      continue;
    }
    const fixed = fixedFault(present, definition);
    if (fixed !== undefined) throw new Error(`The container '${wanted.id}' is there already. ${fixed}`);
    if (differs(present.definition, definition)) await catalog.replaceContainer(parent, present, definition);
  }
}

function differs(present: JsonObject, wanted: JsonObject): boolean {
  const policy = completePolicy(wanted["indexingPolicy"] ?? present["indexingPolicy"]);
  return (
    JSON.stringify([present["indexingPolicy"], present["defaultTtl"]]) !==
    JSON.stringify([policy, wanted["defaultTtl"]])
  );
}
