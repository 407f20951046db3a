// Where everything of a running stack is: what an app's settings are made of.
import type { PartAddress, Ports } from "./parts.ts";

export interface Addresses {
  readonly bus?: { readonly port: number; readonly adminPort: number; readonly connectionString: string };
  readonly cosmos?: { readonly port: number; readonly endpoint: string; readonly connectionString: string };
  readonly azurite?: {
    readonly blobPort: number;
    readonly queuePort: number;
    readonly tablePort: number;
    readonly connectionString: string;
  };
  /** The URL of each remote service, by its name. */
  readonly remotes: Readonly<Record<string, string>>;
  /** Known before the host runs: its port is chosen by the stack. */
  readonly host?: { readonly port: number; readonly url: string };
}

export function addressesOf(parts: readonly PartAddress[], hostPort: number | undefined): Addresses {
  const named = parts.map((part) =>
    part.name === "remotes"
      ? { remotes: Object.fromEntries(part.services.map(({ name, url }) => [name, url])) }
      : { [part.name]: part },
  );
  const host = hostPort === undefined ? {} : { host: { port: hostPort, url: `http://127.0.0.1:${hostPort}` } };
  return Object.assign({ remotes: {} }, host, ...named) as Addresses;
}

/** What a part got in the place of what was asked for: a restart has to come back to the same. */
export function portsOf(part: PartAddress): Partial<Ports> {
  switch (part.name) {
    case "bus":
      return { bus: part.port, busAdmin: part.adminPort };
    case "cosmos":
      return { cosmos: part.port };
    case "remotes":
      return { remotes: part.services.map(({ port }) => port) };
    case "azurite":
      return { azuriteBlob: part.blobPort, azuriteQueue: part.queuePort, azuriteTable: part.tablePort };
    default:
      throw new Error(`no such part: ${JSON.stringify(part satisfies never)}`);
  }
}
