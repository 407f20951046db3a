// The whole local stack as processes: services, remotes, Azurite and the host, each of which can be killed and come back.
import { resolve } from "node:path";
import type { Durability } from "../database/database.ts";
import { type Addresses, addressesOf, portsOf } from "./addresses.ts";
import type { Exit } from "./child.ts";
import { freePorts } from "./free-ports.ts";
import {
  FREE_PORTS,
  PART_NAMES,
  type PartAddress,
  type PartName,
  type Ports,
  USUAL_HOST_PORT,
  USUAL_PORTS,
} from "./parts.ts";
import {
  PROCESS_NAMES,
  type ProcessName,
  type Started,
  startAzuriteProcess,
  startHost,
  startServices,
} from "./processes.ts";

export interface StackPorts extends Ports {
  readonly host: number;
}

export interface StackOptions {
  /** The app's folder: its package.json `main` says what the host loads. */
  readonly appDir: string;
  readonly data: string;
  /** Of a map, what it leaves out is usual. Usual if absent. */
  readonly ports?: "usual" | "free" | Partial<StackPorts>;
  /** All if absent. */
  readonly parts?: readonly PartName[];
  /** Whether the app's host runs too. It does if absent. */
  readonly host?: boolean;
  readonly durability?: Durability;
  /** The host's environment, over that of this process. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Settings that name addresses; called before each start of the host. */
  readonly settingsFor?: (addresses: Addresses) => Record<string, string>;
  readonly queuesFile?: string;
  readonly cosmosFile?: string;
  readonly remotesFile?: string;
  /** Gets every line that the host writes. Without it they only go to the log file, which is cheaper. */
  readonly log?: (line: string) => void;
  /** Called for each part when it is ready, with the time since the stack began to start. */
  readonly onProgress?: (part: PartName | "host", ms: number) => void;
  /** Called when a process ended that nobody asked to end. */
  readonly onExit?: (name: ProcessName, exit: Exit) => void;
}

export interface StackProcess {
  readonly name: ProcessName;
  readonly pid: number;
}

export interface Stack {
  /** Every port, URL and connection string. */
  readonly addresses: Addresses;
  /** The processes that live. */
  readonly processes: readonly StackProcess[];
  /** Sends a signal; resolves when the process has ended, or at once for a signal that only halts or continues it. */
  kill(name: ProcessName, signal?: NodeJS.Signals): Promise<void>;
  /** Brings a process back on the same ports and data, ended before if it still lives; resolves when it is ready. */
  restart(name: ProcessName): Promise<void>;
  /** Ends every process within 5 s: the host first, since it works with the others. */
  stop(): Promise<void>;
}

/** The host drains for at most 4 s; with what a kill takes afterwards, a stop ends within 5 s. */
const STOP_LIMIT_MS = 4500;
/** How long the others stay up for the host to finish what it has begun. */
const HOST_HEAD_START_MS = 2500;
/** These leave the process running. */
const HARMLESS: readonly NodeJS.Signals[] = ["SIGSTOP", "SIGCONT"];

/** Resolves when everything answers; when something cannot, all of it is stopped and the error says what. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stack = new ProcessStack(options, await chosenPorts(options.ports));
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
  readonly #hostPort: number;
  readonly #running = new Map<ProcessName, Started["child"]>();
  /** Those whose end was asked for. */
  readonly #dismissed = new Set<Started["child"]>();
  readonly #addresses = new Map<PartName, PartAddress>();
  #ports: Ports;
  #stopping = false;

  constructor(options: StackOptions, { host, ...ports }: StackPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#hostPort = host;
    this.#wanted = PROCESS_NAMES.filter((name) =>
      name === "host" ? options.host !== false : this.#partsOf(name).length > 0,
    );
  }

  get addresses(): Addresses {
    const host = this.#wanted.includes("host") ? this.#hostPort : undefined;
    return addressesOf([...this.#addresses.values()], host);
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
      if (name === "host") this.#options.onProgress?.("host", ms);
    };
    // The app's settings have the addresses of the parts in them, so the host comes last.
    const results = await Promise.allSettled(this.#wanted.filter((name) => name !== "host").map(launch));
    const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason as Error] : []));
    if (failures.length > 0) {
      throw new Error(failures.map(({ message }) => message).join("\n"), { cause: failures[0] });
    }
    if (this.#wanted.includes("host")) await launch("host");
  }

  async kill(name: ProcessName, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#running.get(name);
    if (!child?.alive) return;
    if (!HARMLESS.includes(signal)) this.#dismissed.add(child);
    child.signal(signal);
    if (!HARMLESS.includes(signal)) await child.exited;
  }

  async restart(name: ProcessName): Promise<void> {
    await this.#end(name, STOP_LIMIT_MS);
    await this.#launch(name);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const host = this.#end("host", STOP_LIMIT_MS);
    const giveWay = new AbortController();
    await Promise.race([host, wait(HOST_HEAD_START_MS, giveWay.signal)]);
    giveWay.abort();
    await Promise.all([host, ...PROCESS_NAMES.map((name) => this.#end(name, STOP_LIMIT_MS - HOST_HEAD_START_MS))]);
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
      if (!this.#stopping && !this.#dismissed.has(child)) this.#options.onExit?.(name, exit);
    });
    return parts;
  }

  #spawn(name: ProcessName): Promise<Started> {
    const { appDir, data, durability = "normal", queuesFile, cosmosFile, remotesFile, settings, log } = this.#options;
    const common = { data: resolve(data), durability, ports: this.#ports };
    const files = { queues: queuesFile, "cosmos-resources": cosmosFile, remotes: remotesFile };
    switch (name) {
      case "services":
      case "remotes":
        return startServices({ ...common, name, parts: this.#partsOf(name), files });
      case "azurite":
        return startAzuriteProcess(common);
      case "host":
        return startHost({
          ...common,
          appDir: resolve(appDir),
          port: this.#hostPort,
          settings: { ...settings, ...this.#options.settingsFor?.(this.addresses) },
          onLine: log,
        });
      default:
        throw new Error(`no such process: ${name satisfies never}`);
    }
  }

  #partsOf(name: Exclude<ProcessName, "host">): PartName[] {
    const own: readonly PartName[] = name === "services" ? ["bus", "cosmos"] : [name];
    return own.filter((part) => (this.#options.parts ?? PART_NAMES).includes(part));
  }
}

async function chosenPorts(ports: StackOptions["ports"] = "usual"): Promise<StackPorts> {
  const usual = { ...USUAL_PORTS, host: USUAL_HOST_PORT };
  if (ports === "usual") return usual;
  const [bus = 0, busAdmin = 0, cosmos = 0, host = 0] = await freePorts(4);
  const chosen = ports === "free" ? { ...FREE_PORTS, bus, busAdmin, cosmos, host } : { ...usual, ...ports };
  // The app's settings may name the host's own port, so it is chosen before the host runs.
  return { ...chosen, host: chosen.host || host };
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
