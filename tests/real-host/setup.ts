// Everything that a phase needs: a bus, a store and remote services that are empty, an Azurite in memory, and a host that runs the app.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  addressesOf,
  freePorts,
  type PartName,
  type RunningAzurite,
  type Stack,
  startAzurite,
} from "@scheduler-agent-supervisor/local";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { openRecords, type Records } from "../../cli/common/records.ts";
import { openShop, type Shop } from "../../cli/common/shop.ts";
import type { Settings } from "../../cli/every-app/stack-file.ts";
import type { HostStart, HostUnderTest } from "./host-under-test.ts";
import type { Project } from "./project.ts";

interface SetupOptions {
  readonly project: Project;
  readonly startHost: HostStart;
  /** Gets each line of the real host's console. */
  readonly onHostLine?: (line: string) => void;
  /** Gets a line for each request to storage. */
  readonly onStorageRequest?: (line: string) => void;
}

export interface Setup extends AsyncDisposable {
  readonly project: Project;
  readonly host: HostUnderTest;
  readonly shop: Shop;
  readonly records: Records;
  /** The URL of each remote service, by its name. */
  readonly remotes: Readonly<Record<string, string>>;
  /** Process ids by what they do; those of the host change when it is killed. */
  readonly pids: () => Readonly<Record<"host" | "worker" | "bus and store" | "storage", number | undefined>>;
}

const PARTS: readonly PartName[] = ["bus", "cosmos", "remotes"];

/** What is started and not yet ended, for whoever has to end early. */
const open = new Set<() => Promise<void>>();

export async function endAll(): Promise<void> {
  await Promise.allSettled([...open].map((end) => end()));
}

export async function startSetup(options: SetupOptions): Promise<Setup> {
  const { project, startHost, onHostLine, onStorageRequest } = options;
  const data = temporaryFolder("real-host-");
  const ends: (() => Promise<unknown>)[] = [async () => rmSync(data, { recursive: true, force: true })];
  let ended: Promise<void> | undefined;
  // The last that was started is ended first.
  const end = () => {
    ended ??= (async () => {
      for (const each of ends.reverse()) await each().catch(() => undefined);
      open.delete(end);
    })();
    return ended;
  };
  open.add(end);
  try {
    const stack = await startServices(project, join(data, "services"));
    ends.push(() => stack.stop());
    const azurite = await startStorage(onStorageRequest);
    ends.push(() => azurite.close());
    const settings = settingsOf(project, stack, azurite);
    const hostData = join(data, "host");
    mkdirSync(hostData);
    const host = await startHost({ project, settings, data: hostData, onLine: onHostLine });
    ends.push(() => host.stop());
    const shop = openShop(settings);
    const records = openRecords(settings);
    ends.push(() => Promise.all([shop.close(), records.close()]));
    const services = stack.processes.find(({ name }) => name === "services")?.pid;
    const pids = () => ({ ...host.pids, "bus and store": services, storage: azurite.process.pid });
    const { remotes } = stack.addresses;
    return { project, host, shop, records, remotes, pids, [Symbol.asyncDispose]: end };
  } catch (cause) {
    await end();
    throw cause;
  }
}

function startServices(project: Project, data: string): Promise<Stack> {
  const file = (...path: string[]) => join(project.dir, ...path);
  return project.startStack({
    appDir: project.dir,
    data,
    ports: "free",
    host: false,
    parts: PARTS,
    queuesFile: file("infra", "entities", "service-bus.json"),
    cosmosFile: file("infra", "entities", "cosmos.json"),
    // Earlier checkouts have JSON.
    remotesFile:
      ["remotes.ts", "remotes.json"].map((name) => file("samples", name)).find((path) => existsSync(path)) ?? "",
  });
}

/** Loaded by Azurite before its own modules. */
const NO_SWEEP = pathToFileURL(join(import.meta.dirname, "azurite-without-sweep.ts")).href;

/** In memory: on a disk Azurite itself takes more time than everything else. */
async function startStorage(onRequest: ((line: string) => void) | undefined): Promise<RunningAzurite> {
  const [azuriteBlob = 0, azuriteQueue = 0, azuriteTable = 0] = await freePorts(3);
  const ports = { azuriteBlob, azuriteQueue, azuriteTable };
  return startAzurite({
    ports,
    data: undefined,
    preload: [NO_SWEEP],
    ...(onRequest && { log: onRequest, logRequests: true }),
  });
}

function settingsOf(project: Project, stack: Stack, { address }: RunningAzurite): Settings {
  const { azurite } = addressesOf([address], []);
  return project.settingsFor({ ...stack.addresses, ...(azurite && { azurite }) });
}
