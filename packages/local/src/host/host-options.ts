// What a host is started with, and how it gets its durable engine.
import type { Durability } from "../database/database.ts";
import type { LoadedApp } from "./app/app.ts";
import type { DurableEngine } from "./contract.ts";
import type { EngineName, StorageProviderSettings } from "./durable/engine-profile.ts";
import type { Role, Topology } from "./flex/groups.ts";
import type { DurableSettings } from "./host-json-durable.ts";
import type { Logger } from "./log.ts";
import type { Settings } from "./settings.ts";

/** The app that the host runs, the host's port and data, and the app's settings. */
export interface HostOptions {
  /** The folder of the app, with its package.json and host.json. */
  readonly appDir: string;
  /** 0: any free one. */
  readonly port: number;
  /** The folder of the host's databases; created if absent. */
  readonly data: string;
  readonly durability?: Durability;
  /** App settings that override process.env and local.settings.json. */
  readonly settings?: Settings;
  /** Replays each orchestration from its history at every turn, as Azure does, and keeps none in memory. */
  readonly durableReplay?: boolean;
  /** The durable engine, and with `azure-storage` also the timers' locks as in Azure. `fast` if absent. */
  readonly engine?: EngineName;
  /** Functions of the levels `function` and `admin`, and `/admin`, need their keys, as in Azure. */
  readonly keys?: boolean;
  readonly log?: (line: string) => void;
  /** Whether `log` shows colours. */
  readonly colour?: boolean;
  /** With `flex`, timers are as in the plan Flex Consumption: in UTC, and with NCRONTAB alone. */
  readonly topology?: Topology;
  /** Set if this process is one of several that run the app: then it loads the whole app, and serves this part. */
  readonly role?: Role;
  /** Called with a function that ran longer than `functionTimeout`: Azure then replaces the worker process. */
  readonly onTimeout?: (functionName: string) => void;
}

/** Creates the durable engine; called only if the app has durable functions. */
export type CreateEngine = (options: {
  readonly app: LoadedApp;
  readonly data: string;
  readonly hubName: string;
  readonly durability: Durability;
  readonly replay: boolean;
  readonly engine: EngineName;
  readonly storage: StorageProviderSettings;
  readonly log: Logger;
  readonly settings: DurableSettings;
  readonly maxActivities?: number;
  readonly maxTurns?: number;
}) => DurableEngine;
