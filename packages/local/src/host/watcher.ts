// The thin process over a worker: it forks it, listens to its heartbeat, kills it when it hangs, and starts it again when it dies.
import { type ChildProcess, fork } from "node:child_process";
import { extname, join } from "node:path";
import type { WatcherMessage, WorkerMessage, WorkerOptions } from "./watcher-messages.ts";

export interface WatcherOptions {
  readonly worker: WorkerOptions;
  /** A ready worker that is silent for so long hangs. */
  readonly hangAfterMs: number;
  /** The longest pause before a worker that keeps dying young is started again. */
  readonly longestPauseMs: number;
  readonly say: (line: string) => void;
  /** For what is said of it; `the worker` if absent. */
  readonly name?: string;
  /** Over this process's own. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Set where the app is known to start: then a worker that dies before it was ready is started again too. */
  readonly isKnownToStart?: boolean;
  /** Waited for before each start; the answer is called when the worker is ready or has ended. Absent: it starts at once. */
  readonly turn?: () => Promise<() => void>;
  readonly onMessage?: (message: WorkerMessage, pid: number) => void;
  readonly onExit?: (pid: number) => void;
}

export const LONGEST_PAUSE_MS = 10_000;
/** A worker that imports a large app is silent for longer. */
const START_WITHIN_MS = 60_000;
const CHECK_MS = 250;
/** What a worker needs beyond its grace time: it hands back what has not ended, and closes its databases. */
const AFTER_GRACE_MS = 700;
const FIRST_PAUSE_MS = 100;
/** A worker that lived for so long did not die of its start. */
const LIVED_MS = 10_000;

/** Runs workers, one after another, until `stop`. */
export class Watcher {
  /** Resolves with the exit code of the command: 0 after `stop`, 1 where the app cannot start. */
  readonly ended: Promise<number>;
  readonly #options: WatcherOptions;
  readonly #name: string;
  readonly #end: (code: number) => void;
  #port: number;
  #worker: ChildProcess | undefined;
  #stopping = false;
  #startsNoMore = false;
  #wasReady = false;
  #pauseMs = FIRST_PAUSE_MS;
  #restart: NodeJS.Timeout | undefined;

  constructor(options: WatcherOptions) {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.ended = promise;
    this.#end = resolve;
    this.#options = options;
    this.#name = options.name ?? "the worker";
    this.#port = options.worker.port;
  }

  start(): void {
    const { turn } = this.#options;
    if (!turn) this.#start(() => undefined);
    else void turn().then((done) => (this.#startsNoMore ? done() : this.#start(done)));
  }

  #start(started: () => void): void {
    const { hangAfterMs, say, worker: options, environment, onMessage, onExit } = this.#options;
    const program = join(import.meta.dirname, `worker${extname(import.meta.filename)}`);
    const argument = JSON.stringify({ ...options, port: this.#port } satisfies WorkerOptions);
    const worker = fork(program, [argument], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: { ...process.env, ...environment },
    });
    const pid = worker.pid ?? 0;
    this.#worker = worker;
    const startedAt = Date.now();
    let ready = false;
    let failed = false;
    let heardAt = startedAt;
    worker.on("message", (message: WorkerMessage) => {
      heardAt = Date.now();
      if (message.kind === "failed") {
        failed = true;
        say(message.fault);
      }
      if (message.kind === "ready") {
        ready = true;
        started();
        this.#wasReady = true;
        // The port stays the same when the first worker was free to choose it, unless others look it up.
        if (!options.role) this.#port = message.port;
      }
      onMessage?.(message, pid);
    });
    const check = setInterval(() => {
      const silentMs = Date.now() - heardAt;
      if (silentMs < (ready ? hangAfterMs : START_WITHIN_MS)) return;
      say(`host: ${this.#name} has been silent for ${silentMs} ms and is killed`);
      worker.kill("SIGKILL");
    }, CHECK_MS);
    worker.once("exit", (code, signal) => {
      clearInterval(check);
      started();
      this.#worker = undefined;
      onExit?.(pid);
      this.#exited(signal ?? `code ${code}`, Date.now() - startedAt, failed);
    });
  }

  send(message: WatcherMessage): void {
    if (this.#worker?.connected) this.#worker.send(message, () => undefined);
  }

  /** From now on a worker that ends is not started again. */
  startNoMore(): void {
    this.#startsNoMore = true;
    clearTimeout(this.#restart);
    if (!this.#worker) this.#end(0);
  }

  /** Lets the worker drain; asked a second time, kills it. */
  stop(graceMs: number): void {
    const worker = this.#worker;
    this.startNoMore();
    if (!worker) return;
    if (this.#stopping) {
      worker.kill("SIGKILL");
    } else {
      this.#stopping = true;
      this.send({ kind: "stop", graceMs });
      setTimeout(() => worker.kill("SIGKILL"), graceMs + AFTER_GRACE_MS).unref();
    }
  }

  #exited(how: string, livedMs: number, failed: boolean): void {
    // An app that never ran here has a fault that trying again does not fix.
    const isHopeless = !this.#wasReady && (failed || !this.#options.isKnownToStart);
    if (this.#startsNoMore || isHopeless) {
      this.#end(this.#startsNoMore ? 0 : 1);
      return;
    }
    const { longestPauseMs } = this.#options;
    this.#pauseMs = livedMs >= LIVED_MS ? FIRST_PAUSE_MS : Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#options.say(`host: ${this.#name} died (${how}) and is started again in ${this.#pauseMs} ms`);
    this.#restart = setTimeout(() => this.start(), this.#pauseMs);
  }
}
