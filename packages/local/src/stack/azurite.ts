// Azurite, Microsoft's emulator of Azure Storage, as a child process that cannot outlive its parent.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { createInterface } from "node:readline";
import { makeFolder } from "../make-folder.ts";
import { EXIT_WITH_PARENT } from "./child.ts";
import type { PartAddress, Ports } from "./parts.ts";

interface AzuriteOptions {
  readonly ports: Pick<Ports, "azuriteBlob" | "azuriteQueue" | "azuriteTable">;
  /** A folder, made if absent. Without one, data stays in memory and is gone when the process ends. */
  readonly data: string | undefined;
  readonly log?: (line: string) => void;
  /** Whether `log` also gets a line for each request. */
  readonly logRequests?: boolean;
  /** URLs of modules that it loads first. */
  readonly preload?: readonly string[];
}

export interface RunningAzurite {
  readonly address: PartAddress & { name: "azurite" };
  readonly process: ChildProcess;
  /** Resolves when the process has ended, killed if it takes longer than `limitMs`. */
  close(limitMs?: number): Promise<void>;
}

const HOST = "127.0.0.1";
const ACCOUNT = "devstoreaccount1";
/** For who wants storage apart from the first one's, as another region has. Its connection string differs in the name alone. */
const SECOND_ACCOUNT = "devstoreaccount2";
/** The key that Microsoft publishes for every emulator; it opens nothing else. */
const KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
const CLOSE_LIMIT_MS = 4000;
const UNUSED_LIBRARIES = new URL(`./unused-libraries${extname(import.meta.filename)}`, import.meta.url).href;

/** Resolves when all three services listen. Rejects with an EADDRINUSE that has the `port`, or with what Azurite said. */
export async function startAzurite(options: AzuriteOptions): Promise<RunningAzurite> {
  const { data, log = () => undefined, preload = [] } = options;
  if (data !== undefined) makeFolder(data);
  const child = fork(program(), programArguments(options), {
    execArgv: [...EXIT_WITH_PARENT, ...[UNUSED_LIBRARIES, ...preload].flatMap((url) => ["--import", url])],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, AZURITE_ACCOUNTS: `${ACCOUNT}:${KEY};${SECOND_ACCOUNT}:${KEY}`, AZURITE_DB: undefined },
    // The terminal's Ctrl-C goes to its whole group: who stops Azurite is its parent alone.
    detached: process.platform !== "win32",
  });
  const close = (limitMs = CLOSE_LIMIT_MS) => end(child, limitMs);
  const found = await listening(child, log);
  if (found.kind === "failed") {
    await close(0);
    throw found.cause;
  }
  const [blobPort, queuePort, tablePort] = found.ports;
  const address = { name: "azurite", blobPort, queuePort, tablePort } as const;
  return {
    address: { ...address, connectionString: connectionString(blobPort, queuePort, tablePort) },
    process: child,
    close,
  };
}

function program(): string {
  const manifest = createRequire(import.meta.url).resolve("azurite/package.json");
  return join(dirname(manifest), "dist", "src", "azurite.js");
}

function programArguments({ ports, data, logRequests }: AzuriteOptions): string[] {
  const { azuriteBlob, azuriteQueue, azuriteTable } = ports;
  const servers = Object.entries({ blob: azuriteBlob, queue: azuriteQueue, table: azuriteTable }).flatMap(
    ([service, port]) => [`--${service}Host`, HOST, `--${service}Port`, String(port)],
  );
  const place = data === undefined ? ["--inMemoryPersistence"] : ["--location", data];
  const quiet = logRequests ? [] : ["--silent"];
  return [...quiet, ...place, ...servers, "--disableTelemetry", "--skipApiVersionCheck"];
}

type Listening =
  | { readonly kind: "listening"; readonly ports: readonly [number, number, number] }
  | { readonly kind: "failed"; readonly cause: Error };

/** Azurite says where each service listens, which is the only way to learn a port that it chose. */
function listening(child: ChildProcess, log: (line: string) => void): Promise<Listening> {
  const found = new Map<string, number>();
  const said: string[] = [];
  let listens = false;
  return new Promise((resolve) => {
    const take = (line: string) => {
      log(line);
      if (listens) return;
      said.push(line);
      const [, service, port] = /^Azurite (\w+) service is successfully listening at \S+:(\d+)/.exec(line) ?? [];
      if (service) found.set(service, Number(port));
      const [blob, queue, table] = ["Blob", "Queue", "Table"].map((name) => found.get(name));
      if (!blob || !queue || !table) return;
      listens = true;
      resolve({ kind: "listening", ports: [blob, queue, table] });
    };
    for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on("line", take);
    child.once("error", (cause) => resolve({ kind: "failed", cause }));
    // "close" and not "exit": only then everything that it said has been read.
    child.once("close", () => resolve({ kind: "failed", cause: failure(said) }));
  });
}

function failure(said: readonly string[]): Error {
  const port = said.map((line) => /EADDRINUSE.*:(\d+)/.exec(line)?.[1]).find((each) => each !== undefined);
  const error = new Error(`Azurite ended: ${said.at(-1) ?? "it said nothing"}`);
  return port === undefined ? error : Object.assign(error, { code: "EADDRINUSE", port: Number(port) });
}

async function end(child: ChildProcess, limitMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, "exit");
  child.kill(limitMs > 0 ? "SIGTERM" : "SIGKILL");
  const limit = setTimeout(() => child.kill("SIGKILL"), limitMs);
  await exited.finally(() => clearTimeout(limit));
}

function connectionString(blobPort: number, queuePort: number, tablePort: number): string {
  const endpoint = (service: string, port: number) => `${service}Endpoint=http://${HOST}:${port}/${ACCOUNT};`;
  return (
    `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};` +
    endpoint("Blob", blobPort) +
    endpoint("Queue", queuePort) +
    endpoint("Table", tablePort)
  );
}
