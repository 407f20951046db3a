// The processes of one host in the flex topology, as the host tells of them: they can be killed one by one, and come back by themselves.
import { setTimeout as sleep } from "node:timers/promises";
import type { InstanceStatus } from "../host/watcher-messages.ts";
import type { HostName, InstanceName } from "./processes.ts";

export interface StackInstance {
  readonly name: InstanceName;
  /** 0 while it is restarting. */
  readonly pid: number;
  readonly isReady: boolean;
}

const BACK_WITHIN_MS = 60_000;
const POLL_MS = 10;

export class HostInstances {
  all: readonly StackInstance[] = [];
  readonly #host: HostName;
  readonly #onExit: (name: InstanceName) => void;
  /** Those whose end was asked for. */
  readonly #dismissed = new Set<number>();

  /** @param onExit told of those that ended by themselves */
  constructor(host: HostName, onExit: (name: InstanceName) => void) {
    this.#host = host;
    this.#onExit = onExit;
  }

  update(statuses: readonly InstanceStatus[]): void {
    const before = this.all;
    this.all = statuses.map(({ name, pid, isReady }) => ({ name: `${this.#host}/${name}` as const, pid, isReady }));
    const pids = new Set(this.all.map(({ pid }) => pid));
    for (const { name, pid } of before) {
      if (pid !== 0 && !pids.has(pid) && !this.#dismissed.delete(pid)) this.#onExit(name);
    }
  }

  /** The host has ended, and all its processes with it. */
  end(): void {
    this.all = [];
  }

  async kill(name: InstanceName, signal: NodeJS.Signals, endsIt: boolean): Promise<void> {
    const { pid } = this.#find(name);
    if (pid === 0) return;
    if (endsIt) this.#dismissed.add(pid);
    process.kill(pid, signal);
    while (endsIt && this.all.some((one) => one.pid === pid)) await sleep(POLL_MS);
  }

  async backAgain(name: InstanceName): Promise<void> {
    const giveUpAt = Date.now() + BACK_WITHIN_MS;
    while (!this.#find(name).isReady) {
      if (Date.now() > giveUpAt) throw new Error(`${name} is not ready ${BACK_WITHIN_MS / 1000} s later`);
      await sleep(POLL_MS);
    }
  }

  #find(name: InstanceName): StackInstance {
    const found = this.all.find((one) => one.name === name);
    if (!found) throw new Error(`there is no ${name}; there are ${this.all.map((one) => one.name).join(", ")}`);
    return found;
  }
}
