// One process of the stack: its log, the first message that it sends, its end.
import { type ChildProcess, fork } from "node:child_process";
import { closeSync, createWriteStream, mkdirSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";

export interface ChildOptions {
  /** The compiled module to run. */
  readonly module: string;
  readonly args: readonly string[];
  /** The file that its output is appended to. */
  readonly logFile: string;
  /** Also gets every line of its output. */
  readonly onLine?: ((line: string) => void) | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const TAIL_LINES = 12;

export class Child {
  readonly process: ChildProcess;
  /** Resolves when the process has ended, or could not be started. */
  readonly exited: Promise<Exit>;
  readonly #logFile: string | undefined;

  constructor(process: ChildProcess, logFile?: string) {
    this.process = process;
    this.#logFile = logFile;
    this.exited = new Promise((resolve) => {
      process.once("exit", (code, signal) => resolve({ code, signal }));
      process.once("error", () => resolve({ code: null, signal: null }));
    });
  }

  static start({ module, args, logFile, onLine, environment }: ChildOptions): Child {
    mkdirSync(dirname(logFile), { recursive: true });
    const log = onLine ? undefined : openSync(logFile, "a");
    const output = log ?? "pipe";
    const child = fork(module, args, {
      execArgv: ["--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", output, output, "ipc"],
      // The terminal's Ctrl-C goes to its whole group: who stops a child is its parent alone.
      detached: process.platform !== "win32",
      env: { ...process.env, ...environment },
    });
    if (log !== undefined) closeSync(log);
    if (onLine) copyLines(child, logFile, onLine);
    return new Child(child, logFile);
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
    const limit = setTimeout(() => this.process.kill("SIGKILL"), limitMs);
    return Promise.race([sent, this.exited.then(() => undefined)]).finally(() => clearTimeout(limit));
  }

  /** SIGTERM, and SIGKILL for what has not ended `limitMs` later; resolves when it has. */
  async stop(limitMs: number): Promise<void> {
    if (!this.alive) return;
    this.process.kill("SIGTERM");
    const limit = setTimeout(() => this.process.kill("SIGKILL"), limitMs);
    await this.exited.finally(() => clearTimeout(limit));
  }

  /** The end of the log, for an error's message. */
  async tail(): Promise<string> {
    const text = this.#logFile ? await readFile(this.#logFile, "utf8").catch(() => "") : "";
    return text.trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
  }
}

function copyLines(child: ChildProcess, logFile: string, onLine: (line: string) => void): void {
  const file = createWriteStream(logFile, { flags: "a" });
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on("line", (line) => {
      file.write(`${line}\n`);
      onLine(line);
    });
  }
  child.once("close", () => file.end());
}
