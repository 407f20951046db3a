// How each process of the stack is started and when it counts as ready.
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { extname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Durability } from "../database/database.ts";
import type { EngineName } from "../host/durable/engine-profile.ts";
import type { InstanceCounts, Topology } from "../host/flex/groups.ts";
import type { HostMessage, InstanceStatus } from "../host/watcher-messages.ts";
import { makeFolder } from "../make-folder.ts";
import { startAzurite } from "./azurite.ts";
import { busyPort } from "./busy-port.ts";
import { Child } from "./child.ts";
import { openLogFile } from "./log-file.ts";
import type { PartAddress, PartName, Ports, ServicesMessage } from "./parts.ts";

/** Each has its own port, task hub and data, on the same bus and store: as an app that runs in several regions. */
export const HOST_NAMES = ["host", "host2"] as const;
export type HostName = (typeof HOST_NAMES)[number];

export const PROCESS_NAMES = ["services", "remotes", "azurite", ...HOST_NAMES] as const;
export type ProcessName = (typeof PROCESS_NAMES)[number];

/** One process of a host in the flex topology, such as `host/submission` and `host/durable.2`. */
export type InstanceName = `${HostName}/${string}`;

export interface RunningProcess {
  readonly child: Child;
  readonly parts: readonly PartAddress[];
}

interface Common {
  readonly data: string;
  readonly durability: Durability;
  readonly ports: Ports;
}

const READY_LIMIT_MS = 60_000;
/** A dozen processes load the app at one time: 25 s on two cores, 80 beside the start of other stacks. */
const FLEX_READY_LIMIT_MS = 300_000;
const POLL_MS = 20;
/** Overrides a member of host.json, as in Azure. */
const HUB_SETTING = "AzureFunctionsJobHost__extensions__durableTask__hubName";

/** Compiled modules are run even by a program that is not: what is tested is what runs. */
const COMPILED =
  extname(import.meta.filename) === ".ts"
    ? join(import.meta.dirname, "..", "..", "dist")
    : join(import.meta.dirname, "..");

interface ServicesProcess extends Common {
  readonly name: ProcessName;
  readonly parts: readonly PartName[];
  /** Whether the bus and Cosmos DB take TLS too. They do not if absent. */
  readonly tls?: boolean;
  readonly staleReadsMs?: number | undefined;
  readonly likeAzure?: boolean;
  readonly files: Readonly<Record<"queues" | "cosmos-resources" | "remotes", string | undefined>>;
}

/** Runs the `services` command with `parts`; it says itself when they answer. */
export async function startServices({
  name,
  parts,
  data,
  durability,
  ports,
  tls = false,
  staleReadsMs,
  likeAzure = false,
  files,
}: ServicesProcess): Promise<RunningProcess> {
  const remotes = ports.remotes === undefined ? undefined : [ports.remotes].flat().join(",");
  const options = {
    data,
    durability,
    "bus-port": ports.bus,
    "bus-admin-port": ports.busAdmin,
    "bus-tls-port": tls ? ports.busTls : undefined,
    "cosmos-port": ports.cosmos,
    "stale-reads": staleReadsMs,
    "remotes-port": remotes,
    "traces-port": ports.traces,
    ...files,
  };
  const args = Object.entries(options).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option}=${value}`],
  );
  const child = Child.start({
    module: join(COMPILED, "services.js"),
    args: [...parts, ...args, ...(tls ? ["--tls"] : []), ...(likeAzure ? ["--like-azure"] : [])],
    logFile: logFile(data, name),
  });
  const message = (await child.message(READY_LIMIT_MS)) as ServicesMessage | undefined;
  if (message?.ready) return { child, parts: message.parts };
  await child.exited;
  throw new Error(message ? message.error : `${name} ended before it was ready:\n${await child.tail()}`);
}

export async function startAzuriteProcess({ data, ports }: Common): Promise<RunningProcess> {
  const path = logFile(data, "azurite");
  makeFolder(join(data, "logs"));
  const log = openLogFile(path);
  const azurite = await startAzurite({ ports, data: join(data, "azurite"), log: log.write }).catch((cause: Error) => {
    if (!("port" in cause)) throw cause;
    throw new Error(busyPort(Number(cause.port), "azurite", "azurite", "--azurite-port"), { cause });
  });
  azurite.process.once("close", () => log.close());
  return { child: new Child(azurite.process), parts: [azurite.address] };
}

interface HostProcess extends Common {
  readonly name: HostName;
  readonly appDir: string;
  readonly port: number;
  readonly engine: EngineName;
  readonly settings: Readonly<Record<string, string>>;
  readonly topology: Topology;
  readonly instanceCounts: InstanceCounts;
  readonly graceMs: number;
  readonly longestPauseMs: number | undefined;
  /** Functions need their keys, and each turn of an orchestration replays it. */
  readonly likeAzure: boolean;
  /** Told of a host's processes in the flex topology whenever something happens to one. */
  readonly onInstances: (instances: readonly InstanceStatus[]) => void;
  readonly onLine: ((line: string) => void) | undefined;
}

/** Runs the host with the app; it is ready when its status answers. */
export async function startHostProcess(host: HostProcess): Promise<RunningProcess> {
  const { name, port, data, settings, topology, onInstances, onLine } = host;
  const child = Child.start({
    module: join(COMPILED, "host", "main.js"),
    args: hostArguments(host),
    logFile: logFile(data, name),
    onLine,
    environment: { ...settings, ...ownTaskHub(host) },
    exitWithParent: true,
  });
  child.process.on("message", ({ instances }: HostMessage) => onInstances(instances));
  const url = `http://127.0.0.1:${port}/admin/host/status`;
  const limitMs = topology === "flex" ? FLEX_READY_LIMIT_MS : READY_LIMIT_MS;
  const giveUpAt = Date.now() + limitMs;
  while (child.alive && Date.now() < giveUpAt) {
    if ((await statusOf(url)) === 200) return { child, parts: [] };
    await Promise.race([sleep(POLL_MS), child.exited]);
  }
  const reason = child.alive ? `gave no answer at ${url} for ${limitMs / 1000} s` : "ended before it was ready";
  await child.stop(0);
  const said = await child.tail();
  if (said.includes(`EADDRINUSE: address already in use 127.0.0.1:${port}`)) {
    throw new Error(busyPort(port, name, "the host", "--host-port"));
  }
  throw new Error(`${name} ${reason}:\n${said}`);
}

export function hostArguments(host: Omit<HostProcess, "onInstances" | "onLine" | "settings">): string[] {
  const { name, appDir, port, data, durability, engine, topology, instanceCounts, graceMs, longestPauseMs, likeAzure } =
    host;
  const counts = Object.entries(instanceCounts).map(([group, count]) => `${group}=${count}`);
  const options = {
    port,
    data: join(data, name),
    durability,
    engine,
    topology,
    instances: counts.length > 0 ? counts.join() : undefined,
    grace: graceMs,
    "longest-pause": longestPauseMs,
  };
  return [
    appDir,
    ...Object.entries(options).flatMap(([option, value]) => (value === undefined ? [] : [`--${option}=${value}`])),
    ...(likeAzure ? ["--keys", "--replay"] : []),
  ];
}

/** The first host has the hub that the app's host.json names. If that names a setting, the app reads it too. */
function ownTaskHub({ name, appDir }: HostProcess): Record<string, string> {
  if (name === "host") return {};
  const { extensions } = JSON.parse(readFileSync(join(appDir, "host.json"), "utf8")) as {
    readonly extensions?: { readonly durableTask?: { readonly hubName?: string } };
  };
  const [, setting] = /^%(\w+)%$/.exec(extensions?.durableTask?.hubName ?? "") ?? [];
  return { [HUB_SETTING]: name, ...(setting !== undefined && { [setting]: name }) };
}

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(undefined));
  });
}

function logFile(data: string, name: ProcessName): string {
  return join(data, "logs", `${name}.log`);
}
