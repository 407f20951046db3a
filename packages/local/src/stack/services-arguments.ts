// The command line of `services`: which parts, on which ports, with which entities.
import { parseArgs } from "node:util";
import type { Durability } from "../database/database.ts";
import { PART_NAMES, type PartName, type Ports, USUAL_BUS_TLS_PORT, USUAL_PORTS } from "./parts.ts";

export interface ServicesArguments {
  readonly parts: readonly PartName[];
  /** Whether the parts were named; those that merely are among all may be left out for want of a definition. */
  readonly named: boolean;
  readonly data: string;
  readonly durability: Durability;
  readonly ports: Ports;
  /** Whether the bus and Cosmos DB take TLS too. */
  readonly tls: boolean;
  /** How old what a read of Cosmos DB finds may be. Undefined: each finds what was written last. */
  readonly staleReadsMs: number | undefined;
  /** The request units a second of a container that was given none. Undefined: no request is too much. */
  readonly throughput: number | undefined;
  /** Whether the parts refuse, delay and take back what Azure does now and then. */
  readonly likeAzure: boolean;
  /** Undefined: the usual name in the current package, if it is there. */
  readonly queues: string | undefined;
  readonly cosmosResources: string | undefined;
  readonly remotes: string | undefined;
}

export const USAGE = `services [bus] [cosmos] [remotes] [azurite] [traces]    default: all
  --data DIR                 the state folder (.local)
  --durability full|normal   full flushes to disk at every commit (normal)
  --bus-port N               (5672)
  --bus-admin-port N         (5300)
  --tls                      the ports of bus and cosmos also accept TLS, with a
                             certificate in DIR/tls
  --bus-tls-port N           with --tls: one more port of the bus, for TLS alone
                             (5671)
  --cosmos-port N            (8081)
  --stale-reads MS           a read of cosmos without a session token may find
                             what was written up to so long before
  --throughput RU            cosmos answers 429 to what is beyond so many
                             request units a second of a container
  --like-azure               as Azure now and then: --stale-reads 500,
                             --throughput 5000, an account's rates of metadata,
                             busy servers and idle senders on the bus
  --azurite-port N           the first of three: blobs, queues, tables (10000)
  --remotes-port N[,N…]      the first port of consecutive ones, or one for each
                             service (7080)
  --traces-port N            (4318)
  --port N                   the port of the part, if exactly one is named
  --queues FILE              {queues: […]}
                             (infra/entities/service-bus.json)
  --cosmos-resources FILE    {database, containers: […]}
                             (infra/entities/cosmos.json)
  --remotes FILE             {services: […]}: JSON, or a module that exports it
                             (samples/remotes.ts or .json)
Port 0 is any free one.`;

const OPTIONS = {
  data: { type: "string" },
  durability: { type: "string" },
  port: { type: "string" },
  "bus-port": { type: "string" },
  "bus-admin-port": { type: "string" },
  "bus-tls-port": { type: "string" },
  tls: { type: "boolean" },
  "cosmos-port": { type: "string" },
  "stale-reads": { type: "string" },
  throughput: { type: "string" },
  "like-azure": { type: "boolean" },
  "azurite-port": { type: "string" },
  "remotes-port": { type: "string" },
  "traces-port": { type: "string" },
  queues: { type: "string" },
  "cosmos-resources": { type: "string" },
  remotes: { type: "string" },
  help: { type: "boolean" },
} as const;
type OptionName = keyof typeof OPTIONS;

const MAX_PORT = 65_535;

type ParsedArguments =
  | { readonly kind: "arguments"; readonly value: ServicesArguments }
  | { readonly kind: "help" }
  | { readonly kind: "invalid"; readonly faults: readonly string[] };

export function parseServicesArguments(args: readonly string[]): ParsedArguments {
  // Not strict, because strict throws at the first fault.
  const { tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const faults: string[] = [];
  const given = new Map<OptionName, string>();
  const parts = new Set<PartName>();
  for (const token of tokens) {
    if (token.kind === "positional") {
      if (isPartName(token.value)) parts.add(token.value);
      else faults.push(`there is no part ${token.value}; there are ${PART_NAMES.join(", ")}`);
    } else if (token.kind === "option") {
      if (!isOptionName(token.name)) faults.push(`there is no option ${token.rawName}`);
      else if (token.name === "help") return { kind: "help" };
      else if (token.name === "tls" || token.name === "like-azure") given.set(token.name, "");
      else if (!token.value || token.value.startsWith("--")) faults.push(`${token.rawName} needs a value`);
      else given.set(token.name, token.value);
    }
  }
  const durability = given.get("durability") ?? "normal";
  if (!isDurability(durability)) faults.push(`--durability has to be full or normal, and is ${durability}`);
  const staleReadsMs = numberOf("stale-reads", "number of milliseconds", LONGEST_STALE_MS, given, faults);
  const throughput = numberOf("throughput", "number of request units", MOST_THROUGHPUT, given, faults);
  const ports = portsOf(given, [...parts], faults);
  faults.push(...collisions(ports, parts.size > 0 ? [...parts] : PART_NAMES));
  if (faults.length > 0 || !isDurability(durability)) return { kind: "invalid", faults };
  return {
    kind: "arguments",
    value: {
      parts: parts.size > 0 ? PART_NAMES.filter((name) => parts.has(name)) : PART_NAMES,
      named: parts.size > 0,
      data: given.get("data") ?? ".local",
      durability,
      ports,
      tls: given.has("tls"),
      staleReadsMs,
      throughput,
      likeAzure: given.has("like-azure"),
      queues: given.get("queues"),
      cosmosResources: given.get("cosmos-resources"),
      remotes: given.get("remotes"),
    },
  };
}

const LONGEST_STALE_MS = 3_600_000;

const MOST_THROUGHPUT = 1_000_000;

function numberOf(
  name: OptionName,
  what: string,
  most: number,
  given: ReadonlyMap<OptionName, string>,
  faults: string[],
): number | undefined {
  const text = given.get(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value > 0 && value <= most) return value;
  faults.push(`--${name} has to be a ${what} from 1 to ${most}, and is ${text}`);
  return undefined;
}

interface Owner {
  readonly part: PartName;
  readonly option: string;
}

/** The part that wants `port`, and the option that gives it another. */
export function ownerOf(port: number, { ports, parts }: ServicesArguments): Owner {
  const [owner] = owners(ports, parts).find(([, numbers]) => numbers.includes(port)) ?? [];
  return owner ?? { part: "remotes", option: "--remotes-port" };
}

function owners(ports: Ports, parts: readonly PartName[]): [Owner, number[]][] {
  const all: [Owner, number[]][] = [
    [{ part: "bus", option: "--bus-port" }, [ports.bus]],
    [{ part: "bus", option: "--bus-admin-port" }, [ports.busAdmin]],
    [{ part: "bus", option: "--bus-tls-port" }, [ports.busTls ?? []].flat()],
    [{ part: "cosmos", option: "--cosmos-port" }, [ports.cosmos]],
    [{ part: "azurite", option: "--azurite-port" }, [ports.azuriteBlob, ports.azuriteQueue, ports.azuriteTable]],
    [{ part: "traces", option: "--traces-port" }, [ports.traces]],
    [{ part: "remotes", option: "--remotes-port" }, [ports.remotes ?? []].flat()],
  ];
  return all.filter(([{ part }]) => parts.includes(part));
}

/** Ports that two parts would both want, which would look like another program's. */
function collisions(ports: Ports, parts: readonly PartName[]): string[] {
  const taken = new Map<number, string>();
  const faults: string[] = [];
  for (const [{ option }, numbers] of owners(ports, parts)) {
    for (const port of numbers.filter((each) => each !== 0)) {
      const other = taken.get(port);
      if (other !== undefined) faults.push(`${other} and ${option} both lead to port ${port}`);
      taken.set(port, option);
    }
  }
  return faults;
}

function portsOf(given: ReadonlyMap<OptionName, string>, parts: readonly PartName[], faults: string[]): Ports {
  const [only] = parts;
  const own = given.get("port");
  if (own !== undefined && parts.length !== 1) faults.push("--port needs exactly one part to be named");
  const port = (part: PartName | undefined, option: OptionName): number | undefined => {
    const name = own !== undefined && only === part && parts.length === 1 ? "port" : option;
    const text = given.get(name);
    if (text === undefined) return undefined;
    const value = portNumber(text);
    if (value === undefined) faults.push(`--${name} has to be a port from 0 to ${MAX_PORT}, and is ${text}`);
    return value;
  };
  const takesTls = parts.length === 0 || parts.includes("bus") || parts.includes("cosmos");
  if (given.has("tls") && !takesTls) faults.push("--tls is for bus and cosmos");
  if (given.has("bus-tls-port") && !given.has("tls")) faults.push("--bus-tls-port needs --tls");
  const list = given.get("remotes-port");
  const azurite = port("azurite", "azurite-port");
  return {
    bus: port("bus", "bus-port") ?? USUAL_PORTS.bus,
    busAdmin: port(undefined, "bus-admin-port") ?? USUAL_PORTS.busAdmin,
    ...(given.has("tls") ? { busTls: port(undefined, "bus-tls-port") ?? USUAL_BUS_TLS_PORT } : {}),
    cosmos: port("cosmos", "cosmos-port") ?? USUAL_PORTS.cosmos,
    ...azuritePorts(azurite ?? USUAL_PORTS.azuriteBlob),
    traces: port("traces", "traces-port") ?? USUAL_PORTS.traces,
    remotes: list?.includes(",") ? portList(list, faults) : port("remotes", "remotes-port"),
  };
}

function azuritePorts(first: number): Pick<Ports, "azuriteBlob" | "azuriteQueue" | "azuriteTable"> {
  const step = first === 0 ? 0 : 1;
  return { azuriteBlob: first, azuriteQueue: first + step, azuriteTable: first + 2 * step };
}

function portList(text: string, faults: string[]): number[] {
  const numbers = text.split(",").map(portNumber);
  if (numbers.includes(undefined)) faults.push(`--remotes-port has to be ports from 0 to ${MAX_PORT}, and is ${text}`);
  return numbers.filter((each) => each !== undefined);
}

function portNumber(text: string): number | undefined {
  const value = Number(text);
  return /^\d+$/.test(text) && value <= MAX_PORT ? value : undefined;
}

function isPartName(name: string): name is PartName {
  return PART_NAMES.includes(name as PartName);
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name);
}

function isDurability(text: string): text is Durability {
  return text === "full" || text === "normal";
}
