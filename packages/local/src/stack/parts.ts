// The parts of the local stack that serve an app, and where each answers.

export const PART_NAMES = ["bus", "cosmos", "remotes", "azurite", "traces"] as const;
export type PartName = (typeof PART_NAMES)[number];

/** What an app can't do without: `traces` only listens to it. */
export const NEEDED_PARTS: readonly PartName[] = PART_NAMES.filter((name) => name !== "traces");

/** Where a part answers, as it is told over IPC: plain data. */
export type PartAddress =
  | {
      readonly name: "bus";
      readonly port: number;
      readonly adminPort: number;
      readonly connectionString: string;
      /** Where TLS was asked for. */
      readonly tls?: { readonly port: number; readonly connectionString: string; readonly certificateFile: string };
    }
  | {
      readonly name: "cosmos";
      readonly port: number;
      readonly endpoint: string;
      readonly connectionString: string;
      /** Where TLS was asked for: on the same port. */
      readonly tls?: { readonly endpoint: string; readonly connectionString: string; readonly certificateFile: string };
    }
  | {
      readonly name: "remotes";
      readonly services: readonly { readonly name: string; readonly url: string; readonly port: number }[];
    }
  | {
      readonly name: "azurite";
      readonly blobPort: number;
      readonly queuePort: number;
      readonly tablePort: number;
      readonly connectionString: string;
    }
  | { readonly name: "traces"; readonly port: number; readonly endpoint: string };

/** What the services command sends over IPC, once. */
export type ServicesMessage =
  | { readonly ready: true; readonly parts: readonly PartAddress[] }
  | { readonly ready: false; readonly error: string };

export interface Ports {
  readonly bus: number;
  readonly busAdmin: number;
  /** For TLS alone, where that is asked for. */
  readonly busTls?: number;
  readonly cosmos: number;
  readonly azuriteBlob: number;
  readonly azuriteQueue: number;
  readonly azuriteTable: number;
  readonly traces: number;
  /** One number: the first of as many as there are services. A list: one each. Absent: as the definition says. */
  readonly remotes?: number | readonly number[] | undefined;
}

/** The ports of Microsoft's own emulators, and OTLP's; 7080 and up are ours. */
export const USUAL_PORTS = {
  bus: 5672,
  busAdmin: 5300,
  cosmos: 8081,
  azuriteBlob: 10_000,
  azuriteQueue: 10_001,
  azuriteTable: 10_002,
  traces: 4318,
} as const satisfies Ports;
/** Of AMQP over TLS. */
export const USUAL_BUS_TLS_PORT = 5671;
const USUAL_REMOTES_PORT = 7080;
export const USUAL_HOST_PORT = 7071;

export const FREE_PORTS = {
  bus: 0,
  busAdmin: 0,
  cosmos: 0,
  azuriteBlob: 0,
  azuriteQueue: 0,
  azuriteTable: 0,
  traces: 0,
  remotes: 0,
} as const satisfies Ports;

/** The port of the service at `index`, whose definition may have one. 0: any free one. */
export function remotePort(chosen: Ports["remotes"], index: number, defined: number | undefined): number {
  if (chosen === undefined) return defined ?? USUAL_REMOTES_PORT + index;
  if (typeof chosen !== "number") return chosen[index] ?? 0;
  return chosen === 0 ? 0 : chosen + index;
}

/** One line of the table of what runs where. */
export interface AddressRow {
  readonly what: string;
  readonly where: string;
  readonly connectionString: string;
}

export function addressRows(part: PartAddress): AddressRow[] {
  switch (part.name) {
    case "bus":
      return [
        { what: "bus", where: `127.0.0.1:${part.port}`, connectionString: part.connectionString },
        { what: "bus administration", where: `http://127.0.0.1:${part.adminPort}`, connectionString: "" },
        ...(part.tls ? rowsOfTls("bus", `localhost:${part.tls.port}`, part.tls) : []),
      ];
    case "cosmos":
      return [
        { what: "cosmos", where: part.endpoint, connectionString: part.connectionString },
        ...(part.tls ? rowsOfTls("cosmos", part.tls.endpoint, part.tls) : []),
      ];
    case "remotes":
      return part.services.map(({ name, url }) => ({ what: name, where: url, connectionString: "" }));
    case "azurite":
      return [
        {
          what: "azurite",
          where: `127.0.0.1:${part.blobPort}, ${part.queuePort}, ${part.tablePort}`,
          connectionString: part.connectionString,
        },
      ];
    case "traces":
      return [{ what: "traces (OTLP)", where: part.endpoint, connectionString: "" }];
    default:
      throw new Error(`no such part: ${JSON.stringify(part satisfies never)}`);
  }
}

function rowsOfTls(
  name: PartName,
  where: string,
  { connectionString, certificateFile }: { readonly connectionString: string; readonly certificateFile: string },
): AddressRow[] {
  return [
    { what: `${name} over TLS`, where, connectionString },
    { what: `certificate of ${name}, to trust`, where: certificateFile, connectionString: "" },
  ];
}
