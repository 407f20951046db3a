// A server that an engine needs, as a child of the engine's process.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

const READY_LIMIT_MS = 120_000;
const POLL_MS = 50;

export interface Server {
  stop(): Promise<void>;
}

export interface ServerCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Another user than this process's. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  isReady(): Promise<boolean>;
}

/** @throws if it ends or isn't ready in two minutes, with the end of what it said */
export async function startServer(name: string, command: ServerCommand): Promise<Server> {
  const child = spawn(command.file, [...command.args], {
    env: { ...process.env, ...command.env },
    stdio: ["ignore", "pipe", "pipe"],
    ...command.user,
  });
  const said = lastWordsOf(child);
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => undefined);
  child.on("error", gone.reject);
  child.on("exit", (code, signal) => gone.reject(new Error(`${name} ended with ${code ?? signal}: ${said()}`)));
  try {
    const limit = performance.now() + READY_LIMIT_MS;
    while (!(await Promise.race([command.isReady(), gone.promise]))) {
      if (performance.now() > limit) throw new Error(`${name} was not ready in ${READY_LIMIT_MS} ms: ${said()}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  } catch (cause) {
    // It would outlive the engine's process, which ends at this.
    child.kill("SIGKILL");
    throw cause;
  }
  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGINT");
      const kill = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(kill);
    },
  };
}

function lastWordsOf({ stdout, stderr }: ChildProcess): () => string {
  let words = "";
  for (const stream of [stdout, stderr])
    stream?.on("data", (data: Buffer) => {
      words = `${words}${data}`.slice(-2000);
    });
  return () => words.trim();
}
