// The processes of an app in the flex topology: each under a watcher of its own, so that what befalls one leaves the others alone.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Watcher, type WatcherOptions } from "../watcher.ts";
import type { InstanceStatus, WorkerMessage } from "../watcher-messages.ts";
import { DURABLE_GROUP, type Role } from "./groups.ts";
import { startTurns } from "./start-turns.ts";

interface Instance {
  readonly role: Role;
  readonly watcher: Watcher;
  pid: number;
  /** Set while it is ready. */
  port: number | undefined;
}

interface InstancesOptions extends Omit<WatcherOptions, "name" | "environment" | "turn" | "onMessage" | "onExit"> {
  readonly onChange: () => void;
}

/** Of the time that a stop may take: the durable engine outlives those that call it. */
const ENGINE_SHARE_MS = 700;
const LEAST_GRACE_MS = 200;

export class Instances {
  /** Resolves with the exit code when all have ended after `stop`, or when one can't start. */
  readonly ended: Promise<number>;
  readonly #instances: readonly Instance[];
  readonly #onChange: () => void;
  readonly #startTurn = startTurns(availableParallelism());
  #waiting: (() => void)[] = [];
  #turn = 0;

  constructor(roles: readonly Role[], { onChange, ...options }: InstancesOptions) {
    this.#onChange = onChange;
    this.#instances = roles.map((role) => this.#make(role, options));
    const failed = this.#instances.map(async ({ watcher }) =>
      (await watcher.ended) === 0 ? new Promise<never>(() => {}) : 1,
    );
    const all = Promise.all(this.#instances.map(({ watcher }) => watcher.ended)).then(() => 0);
    this.ended = Promise.race([...failed, all]);
  }

  get statuses(): InstanceStatus[] {
    return this.#instances.map(({ role: { instance, group }, pid, port }) => ({
      name: instance,
      group,
      pid,
      isReady: port !== undefined,
    }));
  }

  /** The ports of all that are ready. */
  get ports(): number[] {
    return this.#instances.flatMap(({ port }) => port ?? []);
  }

  start(): void {
    for (const { watcher } of this.#instances) watcher.start();
  }

  has(group: string): boolean {
    return this.#instances.some(({ role }) => role.group === group);
  }

  /** Resolves when every process is ready. */
  async allReady(): Promise<void> {
    while (this.#instances.some(({ port }) => port === undefined)) await this.#changed();
  }

  /** A process that serves the group, in turn; waits until one is ready. Undefined when `signal` aborts first. */
  async portOf(group: string, signal: AbortSignal): Promise<number | undefined> {
    while (!signal.aborted) {
      const ready = this.#servers(group).flatMap(({ port }) => port ?? []);
      this.#turn += 1;
      if (ready.length > 0) return ready[this.#turn % ready.length];
      await Promise.race([this.#changed(), aborted(signal)]);
    }
    return undefined;
  }

  /** Those that others call first get the longest: the durable engine goes last. */
  async stop(graceMs: number): Promise<void> {
    const begun = Date.now();
    const [engine, others] = [this.#instances.filter(isEngine), this.#instances.filter((one) => !isEngine(one))];
    for (const { watcher } of this.#instances) watcher.startNoMore();
    for (const { watcher } of engine) watcher.send({ kind: "hold" });
    for (const { watcher } of others) watcher.stop(Math.max(LEAST_GRACE_MS, graceMs - ENGINE_SHARE_MS));
    await Promise.all(others.map(({ watcher }) => watcher.ended));
    for (const { watcher } of engine) watcher.stop(Math.max(LEAST_GRACE_MS, graceMs - (Date.now() - begun)));
    await this.ended;
  }

  kill(): void {
    for (const { watcher } of this.#instances) {
      watcher.stop(0);
      watcher.stop(0);
    }
  }

  /** Only one of the durable processes answers the durable client. */
  #servers(group: string): Instance[] {
    return this.#instances.filter((one) => (group === DURABLE_GROUP ? isEngine(one) : one.role.group === group));
  }

  #make(role: Role, options: Omit<WatcherOptions, "name" | "environment" | "turn" | "onMessage" | "onExit">): Instance {
    const watcher = new Watcher({
      ...options,
      worker: { ...options.worker, port: 0, role },
      name: role.instance,
      // By the group the real host knows which listeners to start, by the id an app tells its instances apart.
      environment: {
        // What one has compiled the others need not: they all load the same app.
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(options.worker.data, "compiled"),
        FUNCTIONS_TARGET_GROUP: role.group,
        WEBSITE_INSTANCE_ID: role.instance,
      },
      isKnownToStart: true,
      turn: this.#startTurn,
      onMessage: (message, pid) => this.#heard(instance, message, pid),
      onExit: () => this.#set(instance, 0, undefined),
    });
    const instance: Instance = { role, watcher, pid: 0, port: undefined };
    return instance;
  }

  #heard(instance: Instance, message: WorkerMessage, pid: number): void {
    if (message.kind === "ready") this.#set(instance, pid, message.port);
    else if (message.kind === "leaving") this.#set(instance, pid, undefined);
    else if (instance.pid !== pid) this.#set(instance, pid, undefined);
  }

  #set(instance: Instance, pid: number, port: number | undefined): void {
    instance.pid = pid;
    instance.port = port;
    if (instance.role.group === DURABLE_GROUP) this.#shareActivities();
    this.#onChange();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #shareActivities(): void {
    const durable = this.#instances.filter(({ role }) => role.group === DURABLE_GROUP);
    const ports = durable.filter((one) => !isEngine(one)).flatMap(({ port }) => port ?? []);
    for (const { watcher } of durable.filter(isEngine)) watcher.send({ kind: "activityPorts", ports });
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

function isEngine({ role }: Instance): boolean {
  return role.group === DURABLE_GROUP && role.isFirst;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
