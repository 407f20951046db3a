// Starts a collector of OTLP: accepts traces, events and metrics as JSON over HTTP, and stores them in a file.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Durability } from "../database/database.ts";
import { diskFault } from "../database/disk-room.ts";
import { refusesForeign } from "../foreign-request.ts";
import { inWords } from "../thrown.ts";
import { eventsOf, pointsOf, spansOf } from "./otlp-json.ts";
import { TraceWriter } from "./trace-file.ts";

/** The collector's port, and the folder of its data. */
export interface TracesOptions {
  readonly port: number;
  /** A folder, made if absent. */
  readonly data: string;
  readonly durability?: Durability;
  readonly log?: (line: string) => void;
}

/** A running collector. */
export interface RunningTraces {
  readonly port: number;
  /** The endpoint in an exporter's settings. */
  readonly endpoint: string;
  /** Answers the accepted requests, then closes the port. */
  close(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;
const inflate = promisify(gunzip);

type Counts = Record<"spans" | "events" | "points", number>;

/** Starts a collector in this process. Resolves when it answers. Rejects with the EADDRINUSE of a busy port. */
export async function startTraces({
  port,
  data,
  durability,
  log = () => undefined,
}: TracesOptions): Promise<RunningTraces> {
  const writer = new TraceWriter(data, durability);
  const counts: Counts = { spans: 0, events: 0, points: 0 };
  const server = createServer((request, response) => {
    if (refusesForeign(request, response)) return;
    answer(request, writer, counts)
      .catch((cause: unknown) => {
        log(`${request.method} ${request.url} failed: ${inWords(cause)}`);
        const full = diskFault(cause);
        return refusal(full === undefined ? 500 : 507, full ?? inWords(cause));
      })
      .then((reply) => send(response, reply));
  });
  try {
    server.listen(port, LOOPBACK);
    await once(server, "listening");
  } catch (cause) {
    writer.close();
    throw cause;
  }
  const { port: taken } = server.address() as AddressInfo;
  return { port: taken, endpoint: `http://${LOOPBACK}:${taken}`, close: () => close(server, writer) };
}

interface Reply {
  readonly status: number;
  readonly body: object;
}

async function answer(request: IncomingMessage, writer: TraceWriter, counts: Counts): Promise<Reply> {
  const route = `${request.method} ${request.url}`;
  if (route === "GET /$counts") return { status: 200, body: { ...counts, ...writer.counts } };
  const keep = takers[route as keyof typeof takers];
  if (!keep) return refusal(404, `there is no ${route}; there are ${Object.keys(takers).join(", ")}`);
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? ""))
    return refusal(415, "only OTLP in JSON is taken here: set OTEL_EXPORTER_OTLP_PROTOCOL to http/json");
  const full = writer.roomFault();
  if (full !== undefined) return refusal(507, full);
  const bytes = await bodyOf(request);
  if (!bytes) return refusal(413, `a request has at most ${BODY_LIMIT_BYTES} bytes`);
  try {
    const text = request.headers["content-encoding"] === "gzip" ? await inflate(bytes) : bytes;
    await keep(JSON.parse(text.toString()), writer, counts);
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof TypeError) return refusal(400, cause.message);
    throw cause;
  }
  return { status: 200, body: {} };
}

const takers = {
  "POST /v1/traces": async (body: unknown, writer: TraceWriter, counts: Counts) => {
    const spans = spansOf(body);
    await writer.spans(spans);
    counts.spans += spans.length;
  },
  "POST /v1/logs": async (body: unknown, writer: TraceWriter, counts: Counts) => {
    const events = eventsOf(body);
    await writer.events(events);
    counts.events += events.length;
  },
  "POST /v1/metrics": async (body: unknown, writer: TraceWriter, counts: Counts) => {
    const points = pointsOf(body);
    await writer.points(points);
    counts.points += points.length;
  },
};

function refusal(status: number, message: string): Reply {
  return { status, body: { message } };
}

/** Undefined where it is over the limit; the rest is read and dropped, so that the refusal arrives. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= BODY_LIMIT_BYTES) chunks.push(chunk);
  }
  return bytes > BODY_LIMIT_BYTES ? undefined : Buffer.concat(chunks);
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}

async function close(server: Server, writer: TraceWriter): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  await closed.finally(() => clearInterval(idle));
  writer.close();
}
