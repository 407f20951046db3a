// Microsoft's Functions host as a process: started by its script, ready when it says Running, killed alone or with its worker.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts } from "@scheduler-agent-supervisor/local";
import { processTree } from "../../bench/measure.ts";
import type { Settings } from "../../cli/every-app/stack-file.ts";
import type { HostFolder } from "./host-folder.ts";
import type { HostUnderTest, Victim } from "./host-under-test.ts";

export interface RealHostOptions {
  readonly folder: HostFolder;
  readonly app: string;
  readonly settings: Settings;
  readonly data: string;
  readonly onLine?: ((line: string) => void) | undefined;
}

const READY_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 15_000;
const POLL_MS = 200;
const ANSWER_WITHIN_MS = 2000;
const WORKER = "nodejsWorker.js";
const BYTE_ORDER_MARK = "\uFEFF";

export class RealHost implements HostUnderTest {
  readonly victims = ["host", "worker", "both", "drained"] as const;
  readonly #options: RealHostOptions;
  readonly #port: number;
  #process: ChildProcess | undefined;
  /** Leaders of the process groups that were started: a worker may outlive its host for a while. */
  readonly #groups: number[] = [];

  private constructor(options: RealHostOptions, port: number) {
    this.#options = options;
    this.#port = port;
  }

  static async start(options: RealHostOptions): Promise<RealHost> {
    const [port = 0] = await freePorts(1);
    const host = new RealHost(options, port);
    try {
      await host.#launch();
    } catch (cause) {
      await host.stop();
      throw cause;
    }
    return host;
  }

  get pids(): HostUnderTest["pids"] {
    const host = this.#lives ? this.#process?.pid : undefined;
    return { host, worker: host === undefined ? undefined : processTree(host).find(isWorker) };
  }

  async kill(victim: Victim): Promise<void> {
    const { host, worker } = this.pids;
    if (host === undefined) throw new Error("the host does not run");
    if (victim === "worker") {
      if (worker === undefined) throw new Error("the host has no worker");
      process.kill(worker, "SIGKILL");
      return;
    }
    const exited = this.#exited();
    process.kill(victim === "both" ? -host : host, victim === "drained" ? "SIGTERM" : "SIGKILL");
    await exited;
  }

  /** The host itself starts another worker in the place of one that died. */
  async recover(): Promise<void> {
    if (!this.#lives) await this.#launch();
    await this.#ready();
  }

  async stop(): Promise<void> {
    if (this.#lives) {
      const exited = this.#exited();
      this.#process?.kill("SIGTERM");
      await Promise.race([exited, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
    }
    for (const leader of this.#groups.splice(0)) killGroup(leader);
  }

  get #lives(): boolean {
    return this.#process?.pid !== undefined && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  async #exited(): Promise<void> {
    if (this.#process && this.#lives) await once(this.#process, "exit");
  }

  async #launch(): Promise<void> {
    const { folder, app, settings, data, onLine } = this.#options;
    mkdirSync(data, { recursive: true });
    const environment = join(data, "settings.json");
    writeFileSync(environment, JSON.stringify(settings));
    const args = [app, "--port", String(this.#port), "--env", environment, "--node", process.execPath, "--data", data];
    const child = spawn(folder.run, [...args, ...(onLine ? [] : ["--quiet"])], {
      env: { ...process.env, REAL_HOST_OUT: folder.dir },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that it can be killed together with its worker; Ctrl-C reaches this process alone.
      detached: true,
    });
    this.#process = child;
    if (child.pid !== undefined) this.#groups.push(child.pid);
    const log = createWriteStream(join(data, "host.log"), { flags: "a" });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        log.write(`${line}\n`);
        onLine?.(line);
      });
    }
    child.once("close", () => log.end());
    await this.#ready();
  }

  async #ready(): Promise<void> {
    const giveUpAt = Date.now() + READY_WITHIN_MS;
    while (this.#lives && Date.now() < giveUpAt) {
      if ((await this.#state()) === "Running" && this.pids.worker !== undefined) return;
      await sleep(POLL_MS);
    }
    throw new Error(`the host did not run the app within ${READY_WITHIN_MS / 1000} s: see ${this.#options.data}`);
  }

  /** What the host says of itself to whoever has its key. */
  async #state(): Promise<string | undefined> {
    const key = masterKey(join(this.#options.data, "secrets", "host.json"));
    if (key === undefined) {
      // It makes its keys when it is first asked for something that needs one.
      await this.#ask("/admin/host/status", "none");
      return undefined;
    }
    return this.#ask("/admin/host/status", key);
  }

  async #ask(path: string, key: string): Promise<string | undefined> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
        headers: { "x-functions-key": key },
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      return response.ok ? ((await response.json()) as { state?: string }).state : undefined;
    } catch {
      return undefined;
    }
  }
}

function isWorker(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(WORKER);
  } catch {
    return false;
  }
}

function masterKey(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const text = readFileSync(file, "utf8").replace(BYTE_ORDER_MARK, "");
    return (JSON.parse(text) as { masterKey?: { value?: string } }).masterKey?.value;
  } catch {
    // It is being written.
    return undefined;
  }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}
