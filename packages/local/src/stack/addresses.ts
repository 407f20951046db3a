// Where everything of a running stack is: what an app's settings are made of.
import type { PartAddress, Ports } from "./parts.ts";

export interface Addresses {
  readonly bus?: Omit<Extract<PartAddress, { name: "bus" }>, "name">;
  readonly cosmos?: Omit<Extract<PartAddress, { name: "cosmos" }>, "name">;
  readonly azurite?: {
    readonly blobPort: number;
    readonly queuePort: number;
    readonly tablePort: number;
    readonly connectionString: string;
  };
  readonly traces?: { readonly port: number; readonly endpoint: string };
  /** The URL of each remote service, by its name. */
  readonly remotes: Readonly<Record<string, string>>;
  /** Known before the hosts run: the stack chooses their ports. */
  readonly hosts: readonly HostAddress[];
  /** The first of several hosts; in the addresses for a host, that host itself. */
  readonly host?: HostAddress;
}

export interface HostAddress {
  readonly name: string;
  readonly port: number;
  readonly url: string;
}

export function addressesOf(
  parts: readonly PartAddress[],
  hosts: readonly HostAddress[],
  host: HostAddress | undefined = hosts[0],
): Addresses {
  const named = parts.map((part) =>
    part.name === "remotes"
      ? { remotes: Object.fromEntries(part.services.map(({ name, url }) => [name, url])) }
      : { [part.name]: part },
  );
  return Object.assign({ remotes: {}, hosts }, host && { host }, ...named) as Addresses;
}

export function hostAddress(name: string, port: number): HostAddress {
  return { name, port, url: `http://127.0.0.1:${port}` };
}

/** What a part got in the place of what was asked for: a restart has to come back to the same. */
export function portsOf(part: PartAddress): Partial<Ports> {
  switch (part.name) {
    case "bus":
      return { bus: part.port, busAdmin: part.adminPort, ...(part.tls ? { busTls: part.tls.port } : {}) };
    case "cosmos":
      return { cosmos: part.port };
    case "remotes":
      return { remotes: part.services.map(({ port }) => port) };
    case "azurite":
      return { azuriteBlob: part.blobPort, azuriteQueue: part.queuePort, azuriteTable: part.tablePort };
    case "traces":
      return { traces: part.port };
    default:
      throw new Error(`no such part: ${JSON.stringify(part satisfies never)}`);
  }
}
