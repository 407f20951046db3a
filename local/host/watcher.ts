// The thin process over the worker: it forks it, listens to its heartbeat, kills it when it hangs, and starts it again when it dies.
import { type ChildProcess, fork } from "node:child_process";
import { extname, join } from "node:path";
import type { WatcherMessage, WorkerMessage, WorkerOptions } from "./watcher-messages.ts";

export interface WatcherOptions extends WorkerOptions {
  /** A ready worker that is silent for so long hangs. */
  readonly hangAfterMs: number;
  readonly say: (line: string) => void;
}

/** A worker that imports a large app is silent for longer. */
const START_WITHIN_MS = 60_000;
const CHECK_MS = 250;
/** The worker drains for at most 4 s; the command has to end within 5 s. */
const STOP_WITHIN_MS = 4700;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A worker that lived for so long did not die of its start. */
const LIVED_MS = 10_000;

/** Runs workers, one after another, until `stop`. Resolves with the exit code of the command. */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #ended = Promise.withResolvers<number>();
  #port: number;
  #worker: ChildProcess | undefined;
  #stopping = false;
  #wasReady = false;
  #pauseMs = FIRST_PAUSE_MS;
  #restart: NodeJS.Timeout | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#port = options.port;
  }

  run(): Promise<number> {
    this.#start();
    return this.#ended.promise;
  }

  /** Lets the worker drain; asked a second time, kills it. */
  stop(): void {
    const worker = this.#worker;
    clearTimeout(this.#restart);
    if (!worker) {
      this.#ended.resolve(0);
    } else if (this.#stopping) {
      worker.kill("SIGKILL");
    } else {
      this.#stopping = true;
      worker.send({ kind: "stop" } satisfies WatcherMessage, () => undefined);
      setTimeout(() => worker.kill("SIGKILL"), STOP_WITHIN_MS).unref();
    }
  }

  #start(): void {
    const { hangAfterMs, say, ...options } = this.#options;
    const program = join(import.meta.dirname, `worker${extname(import.meta.filename)}`);
    // The port stays the same when the first worker was free to choose it.
    const argument = JSON.stringify({ ...options, port: this.#port } satisfies WorkerOptions);
    const worker = fork(program, [argument], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#worker = worker;
    const startedAt = Date.now();
    let ready = false;
    let heardAt = startedAt;
    worker.on("message", (message: WorkerMessage) => {
      heardAt = Date.now();
      if (message.kind === "failed") say(message.fault);
      if (message.kind !== "ready") return;
      ready = true;
      this.#wasReady = true;
      this.#port = message.port;
    });
    const check = setInterval(() => {
      const silentMs = Date.now() - heardAt;
      if (silentMs < (ready ? hangAfterMs : START_WITHIN_MS)) return;
      say(`host: the worker has been silent for ${silentMs} ms and is killed`);
      worker.kill("SIGKILL");
    }, CHECK_MS);
    worker.once("exit", (code, signal) => {
      clearInterval(check);
      this.#worker = undefined;
      this.#exited(signal ?? `code ${code}`, Date.now() - startedAt);
    });
  }

  #exited(how: string, livedMs: number): void {
    // An app that never ran here has a fault that trying again does not mend.
    if (this.#stopping || !this.#wasReady) {
      this.#ended.resolve(this.#stopping ? 0 : 1);
      return;
    }
    this.#pauseMs = livedMs >= LIVED_MS ? FIRST_PAUSE_MS : Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    this.#options.say(`host: the worker died (${how}) and is started again in ${this.#pauseMs} ms`);
    this.#restart = setTimeout(() => this.#start(), this.#pauseMs);
  }
}
