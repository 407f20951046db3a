// A PostgreSQL server of our own, from the binaries that an npm package has, with a flush at each commit.
import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { connect } from "node:net";
import { basename, join } from "node:path";
import { freePorts } from "@scheduler-agent-supervisor/local/stack/free-ports";
import { folderOf, POSTGRES } from "./installed.ts";
import { type Server, startServer } from "./server-process.ts";

/** The server does not run as root; nobody's uid and gid are these on Linux. */
const NOBODY = { uid: 65_534, gid: 65_534 };
/** What a commit that is answered is worth: these are its defaults, said so that nothing overrides them. */
const FLUSHED = ["fsync=on", "synchronous_commit=on", "full_page_writes=on"];

export interface Postgres extends Server {
  readonly url: string;
  readonly version: string;
}

export async function startPostgres(data: string): Promise<Postgres> {
  const native = join(folderOf(POSTGRES), "native");
  linkLibraries(native);
  const user = process.getuid?.() === 0 ? NOBODY : undefined;
  const folder = join(data, "postgres");
  mkdirSync(folder, { recursive: true });
  if (user) chownSync(folder, user.uid, user.gid);
  const initdb = run(join(native, "bin/initdb"), user, "-D", folder, "-U", "postgres", "-A", "trust", "-E", "UTF8");
  if (initdb.status !== 0) throw new Error(`initdb of PostgreSQL failed: ${initdb.error?.message ?? initdb.stderr}`);
  const [port = 0] = await freePorts(1);
  const settings = [...FLUSHED, "max_connections=100", "listen_addresses=127.0.0.1", "unix_socket_directories="];
  const server = await startServer("PostgreSQL", {
    file: join(native, "bin/postgres"),
    args: ["-D", folder, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
    user,
    isReady: () => accepts(port),
  });
  const version = run(join(native, "bin/postgres"), user, "--version").stdout.trim();
  return { ...server, url: `postgresql://postgres@127.0.0.1:${port}/dbos`, version };
}

/** An npm package holds no links; its own install script makes these, where scripts may run. */
function linkLibraries(native: string): void {
  const file = join(native, "pg-symlinks.json");
  const links = JSON.parse(readFileSync(file, "utf8")) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(native, "..", target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

function run(file: string, user: typeof NOBODY | undefined, ...args: string[]) {
  return spawnSync(file, args, { encoding: "utf8", ...user });
}

/** It listens before it accepts: an answer to a request for TLS comes from a server that is up. */
function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])));
  socket.once("data", () => resolve(true)).once("error", () => resolve(false));
  socket.once("close", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
