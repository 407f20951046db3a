// One process of the stack: its log, the first message that it sends, its end.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFolder } from "../make-folder.ts";
import { openLogFile } from "./log-file.ts";

interface ChildOptions {
  /** The compiled module to run. */
  readonly module: string;
  readonly args: readonly string[];
  /** The file that its output is appended to. */
  readonly logFile: string;
  /** Also gets every line of its output. */
  readonly onLine?: ((line: string) => void) | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  /** For a module that does not end by itself with the channel to its parent. */
  readonly exitWithParent?: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const TAIL_LINES = 20;
const GROUPS = process.platform !== "win32";
const GROUP_POLL_MS = 5;
/** Some containers are slow to bury the dead, which count as members until then. */
const GROUP_LIMIT_MS = 250;
const OUTPUT_LIMIT_MS = 300;
/** What a program may handle goes to it alone, so that it ends its own children in order. */
const HANDLED: readonly NodeJS.Signals[] = ["SIGTERM", "SIGINT", "SIGHUP"];

/** The argument of Node that preloads `exit-with-parent`. */
export const EXIT_WITH_PARENT = [
  "--import",
  new URL(`./exit-with-parent${extname(import.meta.filename)}`, import.meta.url).href,
] as const;

const started = new Set<Child>();
/** Before all else that is done then: what still begins would write to folders that are removed as its parent ends. */
process.prependListener("exit", () => {
  for (const child of started) if (child.alive) child.signal("SIGKILL");
});

export class Child {
  readonly process: ChildProcess;
  /** Resolves when the process and all that it started have ended, or when it could not be started. */
  readonly exited: Promise<Exit>;
  /** The end of its output, for an error's message. */
  readonly tail: () => Promise<string>;

  constructor(process: ChildProcess, tail: () => Promise<string> = async () => "") {
    this.process = process;
    this.tail = tail;
    started.add(this);
    this.exited = new Promise((resolve) => {
      const closed = once(process, "close");
      process.once("exit", async (code, signal) => {
        started.delete(this);
        await endGroup(process.pid);
        // What it said last may still be in its pipes.
        await Promise.race([closed, sleep(OUTPUT_LIMIT_MS)]);
        resolve({ code, signal });
      });
      process.once("error", () => resolve({ code: null, signal: null }));
    });
  }

  static start({ module, args, logFile, onLine, environment, exitWithParent }: ChildOptions): Child {
    makeFolder(dirname(logFile));
    const log = onLine ? undefined : openSync(logFile, "a");
    const output = log ?? "pipe";
    const child = fork(module, args, {
      execArgv: ["--disable-warning=ExperimentalWarning", ...(exitWithParent ? EXIT_WITH_PARENT : [])],
      stdio: ["ignore", output, output, "ipc"],
      // The terminal's Ctrl-C goes to its whole group: who stops a child is its parent alone.
      detached: GROUPS,
      env: { ...process.env, ...environment },
    });
    if (log !== undefined) closeSync(log);
    return new Child(child, onLine ? copyLines(child, logFile, onLine) : () => endOf(logFile));
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  get alive(): boolean {
    return this.process.pid !== undefined && this.process.exitCode === null && this.process.signalCode === null;
  }

  /** The first message; undefined where the process ends without one, or is ended for sending none in `limitMs`. */
  async message(limitMs: number): Promise<unknown> {
    const sent = new Promise((resolve) => this.process.once("message", resolve));
    const limit = setTimeout(() => this.signal("SIGKILL"), limitMs);
    return Promise.race([sent, this.exited.then(() => undefined)]).finally(() => clearTimeout(limit));
  }

  /** SIGKILL, SIGSTOP and their like also reach the processes that it started. */
  signal(signal: NodeJS.Signals): void {
    if (GROUPS && this.alive && !HANDLED.includes(signal)) signalGroup(this.pid, signal);
    else this.process.kill(signal);
  }

  /** SIGTERM, and SIGKILL for what has not ended `limitMs` later; resolves when it has. */
  async stop(limitMs: number): Promise<void> {
    if (!this.alive) return;
    this.signal("SIGTERM");
    const limit = setTimeout(() => this.signal("SIGKILL"), limitMs);
    await this.exited.finally(() => clearTimeout(limit));
  }
}

/** Kills what a process left behind, which may hold its port; a restart must not meet it. */
async function endGroup(pid: number | undefined): Promise<void> {
  if (!GROUPS || pid === undefined) return;
  const giveUpAt = Date.now() + GROUP_LIMIT_MS;
  while (signalGroup(pid, "SIGKILL") && Date.now() < giveUpAt) await sleep(GROUP_POLL_MS);
}

/** False where the group has no process. */
function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** Writes what the child says to its log as well; answers the end of it. */
function copyLines(child: ChildProcess, logFile: string, onLine: (line: string) => void): () => Promise<string> {
  const file = openLogFile(logFile);
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on("line", (line) => {
      file.write(line);
      last.push(line);
      if (last.length > TAIL_LINES) last.shift();
      onLine(line);
    });
  }
  child.once("close", () => file.close());
  return async () => last.join("\n");
}

async function endOf(logFile: string): Promise<string> {
  const text = await readFile(logFile, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}
