// Starts one part inside this process (Azurite: as its child) and says where it answers.

import { join } from "node:path";
import type { DeclaredEntities } from "../bus/entities/declared-entities.ts";
import type { Entities } from "./entities.ts";
import { BUS_LIKE_AZURE, COSMOS_LIKE_AZURE } from "./like-azure.ts";
import { type PartAddress, type PartName, remotePort, USUAL_BUS_TLS_PORT } from "./parts.ts";
import type { ServicesArguments } from "./services-arguments.ts";

export interface RunningPart {
  readonly address: PartAddress;
  close(): Promise<void>;
}

type Chosen = "data" | "durability" | "ports" | "tls" | "staleReadsMs" | "throughput" | "likeAzure";

export interface PartOptions extends Pick<ServicesArguments, Chosen> {
  readonly entities: Entities;
  readonly log: (line: string) => void;
  /** Called when the part ended by itself. */
  readonly onExit: (name: PartName) => void;
}

/** Parts are loaded when they are wanted: one that is not does not cost its start-up time. */
export function startPart(name: PartName, options: PartOptions): Promise<RunningPart> {
  switch (name) {
    case "bus":
      return bus(options);
    case "cosmos":
      return cosmos(options);
    case "remotes":
      return remotes(options);
    case "azurite":
      return azurite(options);
    case "traces":
      return traces(options);
    default:
      throw new Error(`no such part: ${name satisfies never}`);
  }
}

async function bus(options: PartOptions): Promise<RunningPart> {
  const { data, durability, ports, tls: isSecured, likeAzure, entities, log } = options;
  const { startBus } = await import("../bus/start.ts");
  const { queues, notes } = (entities.queues ?? {}) as DeclaredEntities;
  const running = await startBus({
    port: ports.bus,
    adminPort: ports.busAdmin,
    data: join(data, "bus"),
    durability,
    // Every SDK puts its tokens, so that this costs nothing.
    requireClaims: true,
    ...(likeAzure && BUS_LIKE_AZURE),
    log,
    tls: isSecured ? { port: ports.busTls ?? USUAL_BUS_TLS_PORT, folder: certificateFolder(data) } : undefined,
    ...(queues ? { queues } : {}),
    ...(notes ? { notes } : {}),
  });
  const { port, adminPort, connectionString, tls } = running;
  const address = { name: "bus", port, adminPort, connectionString, ...(tls ? { tls } : {}) } as const;
  return { address, close: () => running.close() };
}

async function cosmos(options: PartOptions): Promise<RunningPart> {
  const { data, durability, ports, tls: isSecured, entities, log } = options;
  const usual = options.likeAzure ? COSMOS_LIKE_AZURE : undefined;
  const { startCosmos } = await import("../cosmos/start.ts");
  const resources = entities.cosmosResources as Parameters<typeof startCosmos>[0]["resources"];
  const running = await startCosmos({
    port: ports.cosmos,
    data: join(data, "cosmos"),
    durability,
    staleReadsMs: options.staleReadsMs ?? usual?.staleReadsMs,
    throughput: options.throughput ?? usual?.throughput,
    limitsMetadata: usual?.limitsMetadata,
    log,
    tls: isSecured ? { folder: certificateFolder(data) } : undefined,
    ...(resources ? { resources } : {}),
  });
  const { port, endpoint, connectionString, tls } = running;
  const address = { name: "cosmos", port, endpoint, connectionString, ...(tls ? { tls } : {}) } as const;
  return { address, close: () => running.close() };
}

/** One for both parts: a client has one certificate to trust. */
function certificateFolder(data: string): string {
  return join(data, "tls");
}

async function remotes({ data, durability, ports, entities, log }: PartOptions): Promise<RunningPart> {
  const { startRemotes } = await import("../remotes/start.ts");
  type Service = Parameters<typeof startRemotes>[0]["services"][number];
  const defined = (entities.remotes?.["services"] ?? []) as Service[];
  const services = defined.map((service, index) => ({
    ...service,
    port: remotePort(ports.remotes, index, service.port),
  }));
  const bus = services.some(({ queue }) => queue !== undefined) ? await busAt(ports.bus) : undefined;
  const running = await startRemotes({ services, data: join(data, "remotes"), durability, log, bus });
  return { address: { name: "remotes", services: running.services }, close: () => running.close() };
}

/** It may start later, in another process. */
async function busAt(port: number): Promise<string> {
  if (port === 0) throw new Error("a simulated service with a queue needs the bus's port: name it with --bus-port N");
  const { connectionString } = await import("../bus/connection-string.ts");
  return connectionString(port);
}

async function traces({ data, durability, ports, log }: PartOptions): Promise<RunningPart> {
  const { startTraces } = await import("../traces/start.ts");
  const { port, endpoint, close } = await startTraces({
    port: ports.traces,
    data: join(data, "traces"),
    durability,
    log,
  });
  return { address: { name: "traces", port, endpoint }, close };
}

async function azurite({ data, ports, log, onExit }: PartOptions): Promise<RunningPart> {
  const { startAzurite } = await import("./azurite.ts");
  const running = await startAzurite({ ports, data: join(data, "azurite"), log });
  let closing = false;
  running.process.once("exit", () => {
    if (!closing) onExit("azurite");
  });
  return {
    address: running.address,
    close: () => {
      closing = true;
      return running.close();
    },
  };
}
