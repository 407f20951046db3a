// From the socket to the operation and back: signature, route, throttling, counting and the headers of every reply.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Database } from "../database/database.ts";
import { diskFault } from "../database/disk-room.ts";
import { isObject, parseJson } from "../json.ts";
import { HttpConnections } from "../listener/http-connections.ts";
import { inWords, stackOf } from "../thrown.ts";
import { documentPathFault } from "./document-path.ts";
import { HYBRID_ROW } from "./items/hybrid-row.ts";
import { type KeyRange, rangeNamed } from "./partitions/key-ranges.ts";
import { type Call, fault, type Reply } from "./request.ts";
import { admissionFault } from "./resources/admission.ts";
import type { Catalog } from "./resources/catalog.ts";
import type { Container } from "./resources/container.ts";
import { NO_CONTAINER } from "./resources/containers.ts";
import type { MetadataRates } from "./resources/metadata-rates.ts";
import { EMULATOR_KEY } from "./resources/signature.ts";
import type { Throughput } from "./resources/throughput.ts";
import { type ContainerRoute, KINDS, readsOnly, refusalOf, routeOf } from "./routes.ts";
import { type StaleReads, writeSeen } from "./stale-reads.ts";

const THROTTLE_RETRY_MS = 10;
const NO_ROOM = 507;
const TOO_BUSY = fault(
  429,
  "The throughput is used up.",
  ["x-ms-substatus", "3200", "x-ms-retry-after-ms", String(THROTTLE_RETRY_MS)],
  0,
);

/** As where the identity's role was taken away. */
const NOT_ALLOWED = fault(403, "The identity has no role that allows this.", ["x-ms-substatus", "5300"], 0);
/** A session token of another server, or of one whose data was taken away. */
const NOT_WRITTEN_YET = fault(404, "What the session token names was not written here.", ["x-ms-substatus", "1002"]);
/** Clients ask for the ranges anew. */
const GONE = fault(410, "The partition key range is not there any more.", ["x-ms-substatus", "1002"]);
const REFUSALS = { 403: NOT_ALLOWED, 429: TOO_BUSY } as const;
/** Above the largest request that any operation takes, which says more exactly what is too large. */
const MOST_BODY_BYTES = 16 * 1024 * 1024;
const TOO_LARGE = fault(413, "The body of the request is too large.", [], 0);

const NEEDS_KEY = fault(401, "This takes the account's key as the header authorization.", [], 0);

class ClientGone extends Error {
  override readonly name = "ClientGone";
}

const NOTHING = Buffer.alloc(0);

interface Exchange {
  readonly reply: Reply;
  readonly container?: Container;
  readonly range?: KeyRange;
}

interface Strictness {
  /** Without it each read finds what was written last. */
  readonly staleReads: StaleReads | undefined;
  /** Without it no request is too much. */
  readonly throughput: Throughput | undefined;
  /** Likewise, of requests for metadata. */
  readonly metadataRates: MetadataRates | undefined;
  /** How long a query reads before its page ends. */
  readonly executionMs: number;
}

export class CosmosServer {
  readonly connections = new HttpConnections((request, response) => void this.#serve(request, response));
  readonly #catalog: Catalog;
  readonly #database: Database;
  readonly #log: (line: string) => void;
  readonly #staleReads: StaleReads | undefined;
  readonly #throughput: Throughput | undefined;
  readonly #metadataRates: MetadataRates | undefined;
  readonly #executionMs: number;
  readonly #requests = new Map<string, number>(KINDS.map((kind) => [kind, 0]));
  #requestCharge = 0;
  #throttled = 0;
  #swept = 0;
  /** How many of the next data requests are to be refused, and how. */
  #refusals: { left: number; readonly status: keyof typeof REFUSALS } = { left: 0, status: 429 };

  constructor(
    catalog: Catalog,
    database: Database,
    log: (line: string) => void,
    { staleReads, throughput, metadataRates, executionMs }: Strictness,
  ) {
    this.#catalog = catalog;
    this.#database = database;
    this.#log = log;
    this.#staleReads = staleReads;
    this.#throughput = throughput;
    this.#metadataRates = metadataRates;
    this.#executionMs = executionMs;
  }

  /** Never rejects: whatever goes wrong with one request is logged and answered, and is nobody else's trouble. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const exchange = await this.#exchange(request);
      // No answer says what a power loss could still take back: what a read found, a refusal, the session token.
      await this.#database.flushed();
      this.#requestCharge += exchange.reply.charge;
      send(response, exchange);
    } catch (cause) {
      if (cause instanceof ClientGone) return;
      this.#log(`${request.method} ${request.url} failed: ${stackOf(cause)}`);
      if (response.headersSent) response.destroy();
      else send(response, { reply: failed(cause) });
    }
  }

  /** Takes some of what has expired off the disk. */
  async sweep(): Promise<void> {
    const now = Date.now();
    this.#swept += await this.#database.write(() => {
      const containers = [...this.#catalog.databases.values()].flatMap((parent) => [...parent.containers.values()]);
      return containers.reduce((swept, { items }) => swept + items.sweep(now), 0);
    });
  }

  async #exchange(request: IncomingMessage): Promise<Exchange> {
    const { method = "GET", headers } = request;
    const bytes = method === "GET" ? NOTHING : await readBody(request);
    if (bytes === undefined) return { reply: TOO_LARGE };
    const body = bytes[0] === HYBRID_ROW ? "" : bytes.toString();
    const path = pathOf(request.url ?? "/");
    if (path === "$counts") return { reply: this.#counts() };
    if (path === "$refuse")
      return { reply: headers.authorization === EMULATOR_KEY ? this.#setRefusals(body) : NEEDS_KEY };
    const segments = path === "" ? [] : path.split("/").map(decodeSegment);
    const notAdmitted = documentPathFault(segments) ?? admissionFault({ method, segments, headers });
    if (notAdmitted) return { reply: notAdmitted };
    const full = method === "DELETE" || readsOnly(method, headers) ? undefined : this.#database.roomFault();
    if (full !== undefined) return { reply: fault(NO_ROOM, full) };
    const route = routeOf(method, path, headers);
    if (!route) return { reply: fault(400, refusalOf(method, path, headers)) };
    this.#requests.set(route.kind, (this.#requests.get(route.kind) ?? 0) + 1);
    const tooOften = this.#metadataRates?.refusal(route.kind);
    if (tooOften) {
      this.#throttled += 1;
      return { reply: tooOften };
    }
    const names = this.#catalog.names(segments.filter((_, index) => index % 2 === 1));
    const origin = `${"encrypted" in request.socket ? "https" : "http"}://${headers.host ?? ""}`;
    const until = performance.now() + this.#executionMs;
    const call: Call = { catalog: this.#catalog, database: this.#database, origin, names, headers, body, bytes, until };
    if (route.on === "account" || route.on === "database") return { reply: await route.run(call) };
    if (route.on === "documents" && this.#refusals.left > 0) {
      this.#refusals.left -= 1;
      if (this.#refusals.status === 429) this.#throttled += 1;
      return { reply: REFUSALS[this.#refusals.status] };
    }
    const current = this.#catalog.container(names[0] ?? "", names[1] ?? "");
    if (!current) return { reply: fault(404, NO_CONTAINER) };
    const tooMuch = route.on === "documents" && this.#throughput?.refusal(current);
    if (tooMuch) {
      this.#throttled += 1;
      return { reply: tooMuch, container: current };
    }
    const exchange = await this.#onContainer(call, route, current);
    if (route.on === "documents") this.#throughput?.spend(current, exchange.reply.charge);
    return exchange;
  }

  async #onContainer(call: Call, route: ContainerRoute, current: Container): Promise<Exchange> {
    const { headers } = call;
    const reads = route.on === "documents" && route.reads;
    const seen = reads ? writeSeen(headers["x-ms-session-token"]?.toString()) : 0;
    if (seen > current.items.lsn) return { reply: NOT_WRITTEN_YET, container: current };
    const container = (reads && this.#staleReads?.of(current, seen)) || current;
    const named = headers["x-ms-documentdb-partitionkeyrangeid"];
    if (named === undefined) return { reply: await route.run({ ...call, container }), container };
    const range = rangeNamed(this.#catalog.ranges.of(container), String(named));
    return range
      ? { reply: await route.run({ ...call, container, range }), container, range }
      : { reply: GONE, container };
  }

  /** Requests by kind, and request units by the MODEL of charges.ts: no bill was ever compared with it. */
  #counts(): Reply {
    const requestChargeModelled = Math.round(this.#requestCharge * 100) / 100;
    const counts = {
      ...Object.fromEntries(this.#requests),
      requestChargeModelled,
      throttled: this.#throttled,
      swept: this.#swept,
      staleReads: this.#staleReads?.count ?? 0,
      ...this.#database.counts,
    };
    return { status: 200, charge: 0, body: JSON.stringify(counts) };
  }

  #setRefusals(body: string): Reply {
    const given = parseJson(body);
    const { requests, status = 429 } = isObject(given) ? given : {};
    const isCount = typeof requests === "number" && requests >= 0;
    if (!isCount || (status !== 403 && status !== 429)) {
      return fault(400, 'A body like {"requests": 3, "status": 429} is expected, where the status is 403 or 429.');
    }
    this.#refusals = { left: requests, status };
    return { status: 200, charge: 0, body: JSON.stringify({ requests, status }) };
  }
}

function failed(cause: unknown): Reply {
  const full = diskFault(cause);
  return full === undefined ? fault(500, `The server failed: ${inWords(cause)}`) : fault(NO_ROOM, full);
}

/** Undefined where it is larger than any request may be: the rest of it is read and dropped. */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BODY_BYTES) chunks = [];
      else chunks.push(chunk);
    });
    request.on("end", () => {
      if (bytes > MOST_BODY_BYTES) return resolve(undefined);
      const [only, ...more] = chunks;
      resolve(only && more.length === 0 ? only : Buffer.concat(chunks));
    });
    request.on("error", (cause) => reject(new ClientGone("The client left before the end of its request.", { cause })));
  });
}

/** An id may have a question mark, which the JavaScript SDK does not encode; documents take no query string. */
const DOCUMENT = /\/docs\/[^/]+$/;

function pathOf(url: string): string {
  const query = url.indexOf("?");
  return (query < 0 || DOCUMENT.test(url) ? url : url.slice(0, query)).replace(/^\/+|\/+$/g, "");
}

function decodeSegment(segment: string): string {
  try {
    return segment.includes("%") ? decodeURIComponent(segment) : segment;
  } catch {
    return segment;
  }
}

function send(response: ServerResponse, { reply, container, range }: Exchange): void {
  const headers = [
    "content-type",
    "application/json",
    "x-ms-request-charge",
    String(Math.round(reply.charge * 100) / 100),
    "x-ms-activity-id",
    randomUUID(),
    ...(reply.headers ?? []),
  ];
  if (container) {
    const { rid, items } = container;
    headers.push(
      "x-ms-session-token",
      `${range?.id ?? "0"}:-1#${items.lsn}`,
      "x-ms-content-path",
      rid,
      "x-ms-alt-content-path",
      items.encodedLink,
    );
  }
  if (range) headers.push("x-ms-documentdb-partitionkeyrangeid", range.id);
  const body = reply.body ?? "";
  const hasBody = reply.status !== 204 && reply.status !== 304;
  if (hasBody) headers.push("content-length", String(Buffer.byteLength(body)));
  response.writeHead(reply.status, headers);
  response.end(hasBody ? body : undefined);
}
