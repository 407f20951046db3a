// Cosmos DB triggers: reads the change feed of a container under a lease, a page at a time, and keeps how far it has got.
// (Functions documentation, "Azure Cosmos DB trigger".) One lease covers the whole container.
import { setTimeout as pause } from "node:timers/promises";
import type { ChangeFeedIteratorOptions, Container } from "@azure/cosmos";
import type { CosmosClients } from "../change-feed/cosmos-clients.ts";
import { Lease } from "../change-feed/lease.ts";
import type { Binding } from "../contract.ts";
import { describeFault } from "../invocation.ts";
import { invokeWithRetry } from "../retry.ts";
import { hostLine, type Listener, type ListenerContext } from "./listener.ts";

const FEED_POLL_DELAY_MS = 5000;
const LEASE_ACQUIRE_MS = 13_000;
const LEASE_EXPIRATION_MS = 60_000;
const LEASE_RENEW_MS = 17_000;
const NOT_MODIFIED = 304;
/** The continuation of a lease whose first page has not been worked on, where the trigger begins in the past. */
const AT_THE_START = "";

/** Throws where the trigger asks for what is not there. */
export function cosmosListener(context: ListenerContext, clients: CosmosClients): Listener {
  return new CosmosListener(context, clients);
}

class CosmosListener implements Listener {
  readonly functionName: string;
  readonly #context: ListenerContext;
  readonly #clients: CosmosClients;
  readonly #say: ReturnType<typeof hostLine>;
  readonly #stopped = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #wait: (ms: number) => Promise<void> = async () => undefined;

  constructor(context: ListenerContext, clients: CosmosClients) {
    const {
      databaseName,
      containerName,
      leaseConnection,
      changeFeedMode = "LatestVersion",
    } = context.registered.trigger;
    if (typeof databaseName !== "string" || typeof containerName !== "string") {
      throw new Error("its Cosmos DB trigger names no database with a container");
    }
    if (changeFeedMode !== "LatestVersion")
      throw new Error(`changeFeedMode ${String(changeFeedMode)} is not supported here`);
    if (leaseConnection !== undefined)
      throw new Error("leaseConnection is not supported here: leases are kept by connection");
    const fault = leaseFault(context.registered.trigger) ?? startFault(context.registered.trigger);
    if (fault !== undefined) throw new Error(fault);
    this.functionName = context.registered.name;
    this.#context = context;
    this.#clients = clients;
    this.#say = hostLine(context);
  }

  start(): void {
    const { signal } = this.#stopped;
    this.#wait = (ms) => pause(ms, undefined, { signal }).catch(() => undefined);
    this.#loop = this.#listen();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
  }

  /** Ends with the page that is worked on, and leaves the lease to the next host. */
  async ended(): Promise<void> {
    await this.#loop;
  }

  async handBack(): Promise<void> {}

  async runByHand(input = "[]"): Promise<void> {
    await this.#invoke(JSON.parse(input) as unknown[]);
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stopped;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      if (!isFirst)
        await this.#wait(number(this.#context.registered.trigger["leaseAcquireInterval"], LEASE_ACQUIRE_MS));
      if (signal.aborted) return;
      try {
        await this.#holdLease();
      } catch (cause) {
        this.#say("warning", `its change feed cannot be read: ${describeFault(cause)}`);
      }
    }
  }

  async #holdLease(): Promise<void> {
    const { trigger } = this.#context.registered;
    const lease = new Lease(
      await this.#leases(),
      `${String(trigger["leaseContainerPrefix"] ?? "")}${this.functionName}..${String(trigger["containerName"])}`,
      number(trigger["leaseExpirationInterval"], LEASE_EXPIRATION_MS),
    );
    const monitored = await this.#monitored();
    const continuation = await lease.acquire(() => this.#firstContinuation(monitored));
    if (continuation === undefined) return;
    const renewing = setInterval(
      () => {
        lease
          .renew()
          .catch((cause: unknown) => this.#say("warning", `cannot renew its lease: ${describeFault(cause)}`));
      },
      number(trigger["leaseRenewInterval"], LEASE_RENEW_MS),
    ).unref();
    try {
      await this.#follow(monitored, continuation, lease);
    } finally {
      clearInterval(renewing);
      await lease.release();
    }
  }

  /** Until the host stops or the lease is lost. A page that fails is not read again: a retry policy is what repeats it. */
  async #follow(container: Container, from: string, lease: Lease): Promise<void> {
    const { trigger } = this.#context.registered;
    const maxItemCount = number(trigger["maxItemsPerInvocation"], 100);
    const options = { changeFeedStartFrom: await this.#from(from), maxItemCount };
    const feed = container.items.getChangeFeedIterator<object>(options);
    while (!this.#stopped.signal.aborted) {
      const { result, statusCode, continuationToken } = await feed.readNext();
      if (statusCode === NOT_MODIFIED || result.length === 0) {
        await this.#wait(number(trigger["feedPollDelay"], FEED_POLL_DELAY_MS));
        continue;
      }
      await this.#invoke(result);
      if (!(await lease.checkpoint(continuationToken))) return;
    }
  }

  /** What is read first is decided once, when there is no lease yet. */
  async #firstContinuation(container: Container): Promise<string> {
    const { startFromBeginning, startFromTime } = this.#context.registered.trigger;
    if (startFromBeginning === true || startFromTime) return AT_THE_START;
    const { ChangeFeedStartFrom } = await this.#clients.sdk();
    const options = { changeFeedStartFrom: ChangeFeedStartFrom.Now(), maxItemCount: 1 };
    return (await container.items.getChangeFeedIterator(options).readNext()).continuationToken;
  }

  async #from(continuation: string): Promise<NonNullable<ChangeFeedIteratorOptions["changeFeedStartFrom"]>> {
    const { ChangeFeedStartFrom } = await this.#clients.sdk();
    const { startFromTime } = this.#context.registered.trigger;
    if (continuation !== AT_THE_START) return ChangeFeedStartFrom.Continuation(continuation);
    return startFromTime ? ChangeFeedStartFrom.Time(new Date(String(startFromTime))) : ChangeFeedStartFrom.Beginning();
  }

  async #invoke(documents: readonly unknown[]): Promise<void> {
    const { app, registered } = this.#context;
    const inputs = { [registered.triggerName]: { json: JSON.stringify(documents) } };
    try {
      await invokeWithRetry(app, registered, { inputs }, this.#stopped.signal);
    } catch (cause) {
      this.#say("error", `failed on ${documents.length} changes, which are not read again: ${describeFault(cause)}`);
    }
  }

  #monitored(): Promise<Container> {
    const { connection, databaseName, containerName } = this.#context.registered.trigger;
    return this.#clients.container(String(connection), String(databaseName), String(containerName));
  }

  async #leases(): Promise<Container> {
    const { trigger } = this.#context.registered;
    const { database, container: id } = leasesOf(trigger);
    const container = await this.#clients.container(String(trigger["connection"]), database, id);
    if (trigger["createLeaseContainerIfNotExists"] === true) {
      await container.database.containers.createIfNotExists({ id, partitionKey: "/id" });
    }
    const { resource } = await container.read();
    const paths = resource?.partitionKey?.paths.join(", ");
    if (paths !== "/id") throw new Error(`its leases need a container partitioned by /id, and "${id}" is by ${paths}`);
    return container;
  }
}

/** Where a trigger keeps its leases, unless it says so beside that which it reads. */
function leasesOf({ databaseName, leaseDatabaseName, leaseContainerName }: Binding) {
  return { database: String(leaseDatabaseName ?? databaseName), container: String(leaseContainerName ?? "leases") };
}

function leaseFault(trigger: Binding): string | undefined {
  const { database, container } = leasesOf(trigger);
  const isSame = (one: unknown, other: string) => String(one).toLowerCase() === other.toLowerCase();
  const isItself = isSame(trigger["databaseName"], database) && isSame(trigger["containerName"], container);
  return isItself ? `its leases cannot be in the container that it reads: "${container}"` : undefined;
}

function startFault({ startFromBeginning, startFromTime }: Binding): string | undefined {
  if (!startFromTime) return undefined;
  if (startFromBeginning === true) return "it has startFromBeginning and startFromTime, of which it can have one";
  const isTime = !Number.isNaN(Date.parse(String(startFromTime)));
  return isTime ? undefined : `its startFromTime "${String(startFromTime)}" is no time in ISO 8601`;
}

function number(value: unknown, usual: number): number {
  const given = Number(value ?? usual);
  return Number.isFinite(given) ? given : usual;
}
