// A storage account as its connection string names it, and the signature that opens it (Shared Key, Azure Storage documentation, "Authorize with Shared Key").
import { createHmac } from "node:crypto";

const SERVICE_VERSION = "2021-12-02";
const DEVELOPMENT = {
  AccountName: "devstoreaccount1",
  // The key that Microsoft publishes for every emulator; it opens nothing else.
  AccountKey: "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
  QueueEndpoint: "http://127.0.0.1:10001/devstoreaccount1",
  TableEndpoint: "http://127.0.0.1:10002/devstoreaccount1",
};

export interface StorageRequest {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Below the service's address, with a slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class StorageAccount {
  readonly #name: string;
  readonly #key: Buffer;
  readonly #queueUrl: string;
  readonly #tableUrl: string;

  /** Throws where the text is no connection string with a key. */
  constructor(connectionString: string) {
    const given = /UseDevelopmentStorage=true/i.test(connectionString) ? DEVELOPMENT : partsOf(connectionString);
    const {
      AccountName,
      AccountKey,
      QueueEndpoint,
      TableEndpoint,
      EndpointSuffix = "core.windows.net",
    } = given as Partial<Record<string, string>>;
    if (!AccountName || !AccountKey) {
      throw new Error("its storage connection is no connection string with AccountName and AccountKey");
    }
    this.#name = AccountName;
    this.#key = Buffer.from(AccountKey, "base64");
    this.#queueUrl = (QueueEndpoint ?? `https://${AccountName}.queue.${EndpointSuffix}`).replace(/\/$/, "");
    this.#tableUrl = (TableEndpoint ?? `https://${AccountName}.table.${EndpointSuffix}`).replace(/\/$/, "");
  }

  /** Asks the queue service. */
  async ask({ method, path, query = {}, body = "" }: StorageRequest): Promise<Response> {
    const url = new URL(`${this.#queueUrl}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const headers = { "x-ms-date": new Date().toUTCString(), "x-ms-version": SERVICE_VERSION };
    const type = body === "" ? "" : "application/xml";
    const length = body === "" ? "" : String(Buffer.byteLength(body));
    const resource = [
      `/${this.#name}${url.pathname}`,
      ...Object.entries(query)
        .map(([name, value]) => `${name.toLowerCase()}:${value}`)
        .sort(),
    ];
    const canonical = Object.entries(headers).map(([name, value]) => `${name}:${value}`);
    // Verb, then eleven headers, of which length and type alone are used, then what is the service's own.
    const signed = [method, "", "", length, "", type, "", "", "", "", "", "", ...canonical, ...resource].join("\n");
    const signature = createHmac("sha256", this.#key).update(signed).digest("base64");
    return await fetch(url, {
      method,
      headers: {
        ...headers,
        ...(type && { "content-type": type }),
        authorization: `SharedKey ${this.#name}:${signature}`,
      },
      ...(body !== "" && { body }),
    });
  }

  /** Asks the table service, whose signature is a shorter one. */
  async askTables({ method, path, query = {}, body = "" }: StorageRequest): Promise<Response> {
    const url = new URL(`${this.#tableUrl}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const date = new Date().toUTCString();
    const signed = `${date}\n/${this.#name}${url.pathname}`;
    const signature = createHmac("sha256", this.#key).update(signed).digest("base64");
    return await fetch(url, {
      method,
      headers: {
        "x-ms-date": date,
        "x-ms-version": SERVICE_VERSION,
        accept: "application/json;odata=nometadata",
        authorization: `SharedKeyLite ${this.#name}:${signature}`,
        ...(body !== "" && { "content-type": "application/json", prefer: "return-no-content" }),
      },
      ...(body !== "" && { body }),
    });
  }
}

function partsOf(connectionString: string): Record<string, string> {
  const parts = connectionString.split(";").flatMap((part) => {
    const at = part.indexOf("=");
    return at < 0 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).trim()] as const];
  });
  return Object.fromEntries(parts);
}
