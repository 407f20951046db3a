// The durable engine, put together: takes up unfinished work at start, answers the client, stops in good order.
import { join } from "node:path";
import { Database, type Durability } from "../../database/database.ts";
import type { DurableEngine, DurableHttpRequest, DurableHttpResponse, FunctionApp } from "../contract.ts";
import type { DurableSettings } from "../host-json-durable.ts";
import type { Logger } from "../log.ts";
import { Activities } from "./activities.ts";
import { AzureStorageTransport } from "./azure-storage/azure-storage-transport.ts";
import { bindingText } from "./client-binding.ts";
import { routeHttp } from "./client-routes.ts";
import {
  azureStorageProfile,
  type EngineName,
  MAX_ACTIVITIES,
  type StorageProviderSettings,
} from "./engine-profile.ts";
import { LiveInstances } from "./instance.ts";
import { InstanceStore } from "./instance-store.ts";
import { checkLibrary } from "./library.ts";
import { MemoryTransport } from "./memory-transport.ts";
import { Orchestrations } from "./orchestrations.ts";
import { Packing } from "./packing.ts";
import type { RouteParts } from "./route.ts";
import { takeUp } from "./take-up.ts";
import { Timers } from "./timers.ts";
import type { Transport } from "./transport.ts";
import { type TurnParts, Turns } from "./turns.ts";

export interface DurableOptions {
  readonly app: FunctionApp;
  /** The folder of `durable-<hub>.sqlite`; made if absent. */
  readonly data: string;
  readonly hubName: string;
  readonly durability?: Durability;
  /** `fast` if absent. Each has a database of its own. */
  readonly engine?: EngineName;
  /** What host.json says of the storage provider; the fast engine has none. */
  readonly storage?: StorageProviderSettings;
  /** Clients call from other processes, as in Flex Consumption: on Azure Storage what they send waits for the next poll. */
  readonly remoteClients?: boolean;
  /** Replays the whole history in every turn, as a host without cached sessions does: finds what is not deterministic. */
  readonly replay?: boolean;
  readonly log?: Logger;
  /** Activities at one time. */
  readonly maxActivities?: number;
  /** Orchestrator turns that run or wait for their commit at one time. */
  readonly maxTurns?: number;
  /** Orchestrators kept in memory between their turns; others are replayed. */
  readonly maxSessions?: number;
  /** What host.json says of orchestrations. */
  readonly settings?: DurableSettings;
}

const DEFAULTS = { maxActivities: MAX_ACTIVITIES.fast, maxTurns: 256, maxSessions: 5000 };
const CATEGORY = "Host.Triggers.DurableTask";
const DRAIN_CHECK_MS = 5;

/** Opens the hub's database. Nothing runs before `start`. Throws where durable-functions is not the version that it knows. */
export function createDurableEngine(options: DurableOptions): DurableEngine {
  checkLibrary();
  return new Engine(options);
}

class Engine implements DurableEngine {
  #closed = false;
  readonly #options: DurableOptions;
  readonly #parts: TurnParts;
  readonly #turns: Turns;
  readonly #transport: Transport;
  readonly #activities: Activities;
  readonly #routes: RouteParts;
  readonly #bindings = new Map<string, string>();

  constructor(options: DurableOptions) {
    this.#options = options;
    const { app, data, hubName, durability, log, remoteClients = false } = options;
    const profile = options.engine === "azure-storage" ? azureStorageProfile(options.storage) : undefined;
    const db = openHub(join(data, `durable-${hubName}${profile ? ".azure-storage" : ""}.sqlite`), durability);
    const base = {
      app,
      db,
      settings: options.settings ?? {},
      store: new InstanceStore(db),
      live: new LiveInstances(),
      warn: (message: string) => log?.({ level: "warning", category: CATEGORY, source: "durable", message }),
    };
    const parts = { ...base, packing: new Packing({ ...base, turns: () => this.#turns.counts.turns }) };
    this.#parts = parts;
    const { maxActivities, maxTurns } = { ...DEFAULTS, ...profile, ...given(options) };
    const activities = new Activities(app, maxActivities, base.settings);
    this.#activities = activities;
    // Without cached sessions, as the real host is by default.
    const maxSessions = options.replay || profile ? 0 : (options.maxSessions ?? DEFAULTS.maxSessions);
    this.#turns = new Turns(parts, { maxTurns, maxSessions }, (turns) =>
      profile
        ? new AzureStorageTransport(turns, { ...base, profile, activities, maxActivities, remoteClients })
        : new MemoryTransport(turns, activities, new Timers()),
    );
    this.#transport = this.#turns.transport;
    const orchestrations = new Orchestrations(parts, this.#turns);
    this.#routes = { hubName, orchestrations, settings: base.settings };
  }

  start(): void {
    const { store } = this.#parts;
    for (const row of store.unfinished()) takeUp(this.#parts, this.#turns, row);
    for (const { orphan, work } of store.orphans()) this.#transport.adopt(orphan, work);
    this.#transport.open();
    this.#turns.open();
  }

  clientBinding(baseUrl: string): string {
    let text = this.#bindings.get(baseUrl);
    if (text === undefined) {
      text = bindingText(this.#options.hubName, baseUrl);
      this.#bindings.set(baseUrl, text);
    }
    return text;
  }

  async handleHttp(request: DurableHttpRequest): Promise<DurableHttpResponse> {
    if (this.#closed) return { status: 503, body: "The durable engine is closing." };
    const cost = this.#transport.client(request.method, request.path);
    if (cost) await cost;
    const response = await routeHttp(this.#routes, request);
    // No answer says what a power loss could still take back.
    await this.#parts.db.flushed();
    return response;
  }

  get counts(): Readonly<Record<string, number>> {
    const { db, live, packing } = this.#parts;
    const activities = this.#activities;
    return {
      ...this.#turns.counts,
      ...this.#transport.counts,
      ...this.#routes.orchestrations.counts,
      activities: activities.started,
      activitiesRunning: activities.running,
      orchestrationsUnfinished: live.size,
      sessions: this.#turns.sessions,
      historiesPacked: packing.packed,
      freePages: db.freePages,
      ...db.counts,
    };
  }

  hold(): void {
    this.#transport.hold();
  }

  /** Starts no activity any more; those under way may end within the time, and what they returned is recorded. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { db, packing } = this.#parts;
    this.#transport.hold();
    this.#transport.stop();
    packing.close();
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline && this.#transport.inFlight + this.#turns.inFlight > 0) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_CHECK_MS));
    }
    this.#turns.close();
    this.#transport.close();
    // A turn whose commit is awaited ends with the commit that closing makes.
    db.close();
  }
}

function given({ maxActivities, maxTurns }: DurableOptions) {
  return { ...(maxActivities !== undefined && { maxActivities }), ...(maxTurns !== undefined && { maxTurns }) };
}

/** Two engines on one hub would run everything twice, so the file is locked for as long as it is open. */
function openHub(path: string, durability: Durability | undefined): Database {
  try {
    const db = new Database(path, durability, { shrinks: true });
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT");
    return db;
  } catch (cause) {
    throw new Error(`The task hub in ${path} cannot be opened; does another process use it?`, { cause });
  }
}
