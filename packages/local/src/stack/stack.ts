// The whole local stack as processes: services, remotes, Azurite and the host. Each can be killed and restarted.
import { resolve } from "node:path";
import type { Durability } from "../database/database.ts";
import type { EngineName } from "../host/durable/engine-profile.ts";
import type { InstanceCounts, Topology } from "../host/flex/groups.ts";
import type { InstanceStatus } from "../host/watcher-messages.ts";
import { type Addresses, addressesOf, hostAddress, portsOf } from "./addresses.ts";
import type { Exit } from "./child.ts";
import { chosenPorts, type StackPorts } from "./chosen-ports.ts";
import { HostInstances, type StackInstance } from "./host-instances.ts";
import { NEEDED_PARTS, type PartAddress, type PartName, type Ports } from "./parts.ts";
import {
  HOST_NAMES,
  type HostName,
  type InstanceName,
  PROCESS_NAMES,
  type ProcessName,
  type RunningProcess,
  startAzuriteProcess,
  startHostProcess,
  startServices,
} from "./processes.ts";

/** The content of the stack, and the folder of its data. */
export interface StackOptions {
  /** The app's folder: the `main` of its package.json names the files that the host loads. */
  readonly appDir: string;
  readonly data: string;
  /** The ports. Parts that a map omits have their usual port. `usual` if absent. */
  readonly ports?: "usual" | "free" | Partial<StackPorts>;
  /** All except `traces` if absent: an app that sends telemetry is slower. */
  readonly parts?: readonly PartName[];
  /** Whether the bus and Cosmos DB accept TLS too, with a certificate that is created in `tls` in `data`. They do not if absent. */
  readonly tls?: boolean;
  /**
   * A read of Cosmos DB without a session token that asks for more finds what was written up to so many milliseconds before, as
   * in Azure from a replica that lags behind. If absent, each read finds what was written last.
   */
  readonly staleReadsMs?: number | undefined;
  /**
   * Whether the parts refuse, delay and take back what Azure does now and then: reads may be stale, throughput is enforced, the bus is busy at times and
   * detaches idle senders, functions need their keys. They do not if absent.
   */
  readonly likeAzure?: boolean;
  /** Whether the app's host runs too. It does if absent. */
  readonly host?: boolean;
  /** The number of hosts that run the app: `host`, `host2`. One if absent. */
  readonly hosts?: number;
  /** `flex`: each host runs a process for each group of functions. `single` if absent. */
  readonly topology?: Topology;
  /** The number of processes for each group in the flex topology; one for a group that is not named. */
  readonly instanceCounts?: InstanceCounts;
  /** The longest pause before a host restarts a process that crashes repeatedly. */
  readonly longestPauseMs?: number;
  readonly durability?: Durability;
  /** The hosts' durable engine: `fast` if absent. */
  readonly engine?: EngineName;
  /** The host's environment; overrides that of this process. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Settings that contain addresses; called before each start of the host. */
  readonly settingsFor?: (addresses: Addresses) => Record<string, string>;
  readonly queuesFile?: string;
  readonly cosmosFile?: string;
  readonly remotesFile?: string;
  /** Receives every line that the host writes. If absent, they are only written to the log file, which takes less time. */
  readonly log?: (line: string) => void;
  /** Called for each part when it is ready, with the milliseconds since the start of the stack. */
  readonly onProgress?: (part: PartName | HostName, ms: number) => void;
  /** Called when a process ended without a request to end. */
  readonly onExit?: (name: ProcessName, exit: Exit) => void;
  /** Called when a process of a host ended without a request to end; the host starts it again. */
  readonly onInstanceExit?: (name: InstanceName) => void;
}

/** A process of the stack. */
interface StackProcess {
  readonly name: ProcessName;
  readonly pid: number;
}

/** A running stack. It ends with `stop`, or with the process that started it. */
export interface Stack {
  /** Every port, URL and connection string. */
  readonly addresses: Addresses;
  /** The running processes. */
  readonly processes: readonly StackProcess[];
  /** The hosts' own processes, in the flex topology. */
  readonly instances: readonly StackInstance[];
  /** Sends a signal; resolves when the process has ended, or at once for a signal that only stops or continues it. */
  kill(name: ProcessName | InstanceName, signal?: NodeJS.Signals): Promise<void>;
  /**
   * Restarts a process on the same ports and data, and stops it before if it still runs; resolves when it is ready. A host restarts its own
   * processes: this method only waits for them.
   */
  restart(name: ProcessName | InstanceName): Promise<void>;
  /** Ends every process within 5 s: the hosts first, because they use the others. */
  stop(): Promise<void>;
}

/** With the time for a kill after it, a stop ends within 5 s. */
const STOP_LIMIT_MS = 4500;
/** How long a host may continue its running functions. */
const GRACE_MS = 3000;
/** How long the others keep running so that the host can finish its running functions, and return the rest. */
const HOST_HEAD_START_MS = 3500;
/** These do not end the process. */
const HARMLESS: readonly NodeJS.Signals[] = ["SIGSTOP", "SIGCONT"];

/** Starts the stack. Resolves when everything answers. If a part fails, the whole stack is stopped and the error names the cause. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const hosts = HOST_NAMES.slice(0, options.host === false ? 0 : (options.hosts ?? 1));
  const { host, ...ports } = await chosenPorts(options.ports, hosts.length);
  const hostPorts = new Map(hosts.map((name, index) => [name, host[index] ?? 0]));
  const stack = new ProcessStack(options, ports, hostPorts);
  try {
    await stack.start();
  } catch (cause) {
    await stack.stop();
    throw cause;
  }
  return stack;
}

class ProcessStack implements Stack {
  readonly #options: StackOptions;
  readonly #wanted: readonly ProcessName[];
  readonly #hostPorts: ReadonlyMap<HostName, number>;
  readonly #running = new Map<ProcessName, RunningProcess["child"]>();
  /** The processes that were requested to end. */
  readonly #dismissed = new Set<RunningProcess["child"]>();
  readonly #addresses = new Map<PartName, PartAddress>();
  readonly #instances = new Map<HostName, HostInstances>();
  #ports: Ports;
  #stopping = false;

  constructor(options: StackOptions, ports: Ports, hostPorts: ReadonlyMap<HostName, number>) {
    this.#options = options;
    this.#ports = ports;
    this.#hostPorts = hostPorts;
    this.#wanted = PROCESS_NAMES.filter((name) =>
      isHost(name) ? hostPorts.has(name) : this.#partsOf(name).length > 0,
    );
  }

  get addresses(): Addresses {
    return this.#addressesFor(undefined);
  }

  get processes(): StackProcess[] {
    return [...this.#running].filter(([, child]) => child.alive).map(([name, { pid }]) => ({ name, pid }));
  }

  async start(): Promise<void> {
    const began = performance.now();
    const launch = async (name: ProcessName) => {
      const parts = await this.#launch(name);
      const ms = Math.round(performance.now() - began);
      for (const part of parts) this.#options.onProgress?.(part.name, ms);
      if (isHost(name)) this.#options.onProgress?.(name, ms);
    };
    // The app's settings contain the addresses of the parts, so the hosts come last.
    await this.#all(this.#wanted.filter((name) => !isHost(name)).map(launch));
    await this.#all(this.#wanted.filter(isHost).map(launch));
  }

  /** Waits for all, also if one fails: a part that is still starting could not be stopped. */
  async #all(launches: readonly Promise<void>[]): Promise<void> {
    const results = await Promise.allSettled(launches);
    const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason as Error] : []));
    if (failures.length > 0) {
      // What keeps several parts from starting, as a folder that may not be written, is said once.
      const said = new Set(failures.map(({ message }) => message));
      throw new Error([...said].join("\n"), { cause: failures[0] });
    }
  }

  get instances(): StackInstance[] {
    return [...this.#instances.values()].flatMap(({ all }) => all);
  }

  async kill(name: ProcessName | InstanceName, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (isInstance(name)) return this.#instancesOf(name).kill(name, signal, !HARMLESS.includes(signal));
    const child = this.#running.get(name);
    if (!child?.alive) return;
    if (!HARMLESS.includes(signal)) this.#dismissed.add(child);
    child.signal(signal);
    if (!HARMLESS.includes(signal)) await child.exited;
  }

  async restart(name: ProcessName | InstanceName): Promise<void> {
    if (isInstance(name)) return this.#instancesOf(name).backAgain(name);
    await this.#end(name, STOP_LIMIT_MS);
    await this.#launch(name);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const hosts = Promise.all(HOST_NAMES.map((name) => this.#end(name, STOP_LIMIT_MS)));
    const giveWay = new AbortController();
    await Promise.race([hosts, wait(HOST_HEAD_START_MS, giveWay.signal)]);
    giveWay.abort();
    await Promise.all([hosts, ...PROCESS_NAMES.map((name) => this.#end(name, STOP_LIMIT_MS - HOST_HEAD_START_MS))]);
  }

  #instancesOf(name: InstanceName): HostInstances {
    const [host] = name.split("/") as [HostName];
    const found = this.#instances.get(host);
    if (!found) throw new Error(`${host} is away, or does not run in the flex topology`);
    return found;
  }

  async #end(name: ProcessName, limitMs: number): Promise<void> {
    const child = this.#running.get(name);
    if (!child) return;
    this.#dismissed.add(child);
    await child.stop(limitMs);
  }

  async #launch(name: ProcessName): Promise<readonly PartAddress[]> {
    const { child, parts } = await this.#spawn(name);
    this.#running.set(name, child);
    for (const part of parts) {
      this.#addresses.set(part.name, part);
      this.#ports = { ...this.#ports, ...portsOf(part) };
    }
    void child.exited.then((exit) => {
      if (isHost(name) && this.#running.get(name) === child) {
        this.#instances.get(name)?.end();
        this.#instances.delete(name);
      }
      if (!this.#stopping && !this.#dismissed.has(child)) this.#options.onExit?.(name, exit);
    });
    return parts;
  }

  #spawn(name: ProcessName): Promise<RunningProcess> {
    const { appDir, data, durability = "normal", tls = false, staleReadsMs, settings, log } = this.#options;
    const { likeAzure = false } = this.#options;
    const { queuesFile, cosmosFile, remotesFile } = this.#options;
    const common = { data: resolve(data), durability, ports: this.#ports };
    const files = { queues: queuesFile, "cosmos-resources": cosmosFile, remotes: remotesFile };
    switch (name) {
      case "services":
        return startServices({ ...common, name, parts: this.#partsOf(name), files, tls, staleReadsMs, likeAzure });
      case "remotes":
        return startServices({ ...common, name, parts: this.#partsOf(name), files });
      case "azurite":
        return startAzuriteProcess(common);
      case "host":
      case "host2": {
        const { topology = "single", instanceCounts = {}, longestPauseMs } = this.#options;
        return startHostProcess({
          ...common,
          ...{ name, topology, instanceCounts, longestPauseMs, graceMs: GRACE_MS },
          onInstances: this.#watchInstances(name),
          appDir: resolve(appDir),
          port: this.#hostPorts.get(name) ?? 0,
          engine: this.#options.engine ?? "fast",
          settings: { ...settings, ...this.#options.settingsFor?.(this.#addressesFor(name)) },
          likeAzure,
          onLine: log,
        });
      }
      default:
        throw new Error(`no such process: ${name satisfies never}`);
    }
  }

  /** The processes of this run of the host: those of the previous run have ended with it. */
  #watchInstances(name: HostName): (statuses: readonly InstanceStatus[]) => void {
    const instances = new HostInstances(name, (ended) => {
      if (!this.#stopping && this.#instances.get(name) === instances) this.#options.onInstanceExit?.(ended);
    });
    return (statuses) => {
      this.#instances.set(name, instances);
      instances.update(statuses);
    };
  }

  #addressesFor(host: HostName | undefined): Addresses {
    const hosts = [...this.#hostPorts].map(([name, port]) => hostAddress(name, port));
    return addressesOf([...this.#addresses.values()], hosts, host && hosts.find(({ name }) => name === host));
  }

  #partsOf(name: Exclude<ProcessName, HostName>): PartName[] {
    const own: readonly PartName[] = name === "services" ? ["bus", "cosmos", "traces"] : [name];
    return own.filter((part) => (this.#options.parts ?? NEEDED_PARTS).includes(part));
  }
}

function isInstance(name: ProcessName | InstanceName): name is InstanceName {
  return name.includes("/");
}

function isHost(name: ProcessName): name is HostName {
  return HOST_NAMES.some((host) => host === name);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    });
  });
}
