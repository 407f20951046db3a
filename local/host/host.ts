// The running host: wires app, triggers, bindings, durable engine and server together, and takes them apart again.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Database, type Durability } from "../database/database.ts";
import { type LoadedApp, loadApp } from "./app.ts";
import { isDurableClient, triggerKind, unknownBindings, usesDurable } from "./bindings.ts";
import type { DurableEngine, InvocationResult, RegisteredFunction } from "./contract.ts";
import { type HostSettings, readHostJson } from "./host-json.ts";
import { describeFault, isSentOutput } from "./invocation.ts";
import { formatEntry, type Log, levelFilter } from "./log.ts";
import { RunningInvocations } from "./running.ts";
import { checkLibraries } from "./self-check.ts";
import type { HostServer } from "./server.ts";
import { ServiceBusClients, within } from "./service-bus-clients.ts";
import { sendOutput } from "./service-bus-output.ts";
import { bindFunctions, fillIn, isDisabled, type Settings } from "./settings.ts";
import { timerStatuses } from "./timer-status.ts";
import { httpRoutes, routeTemplate } from "./triggers/http.ts";
import type { Listener } from "./triggers/listener.ts";
import { serviceBusListener } from "./triggers/service-bus.ts";
import { timerListener } from "./triggers/timer.ts";

export interface HostOptions {
  /** The folder of the app, with its package.json and host.json. */
  readonly appDir: string;
  /** 0: any free one. */
  readonly port: number;
  /** The folder of the host's databases; made if absent. */
  readonly data: string;
  readonly durability?: Durability;
  /** App settings that win over process.env and local.settings.json. */
  readonly settings?: Settings;
  /** Replays each orchestration from its history at every turn, as Azure does, rather than keeping it in memory. */
  readonly durableReplay?: boolean;
  readonly log?: (line: string) => void;
  /** Whether `log` shows colours. */
  readonly colour?: boolean;
  /** How long `close` lets run what runs; 4 s if absent. What has not ended then is handed back. */
  readonly graceMs?: number;
  /** Told of a function that ran longer than `functionTimeout`: Azure then replaces the worker process. */
  readonly onTimeout?: (functionName: string) => void;
}

/** Makes the durable engine; asked only if the app has durable functions. */
export type CreateEngine = (options: {
  readonly app: LoadedApp;
  readonly data: string;
  readonly hubName: string;
  readonly durability: Durability;
  readonly replay: boolean;
  readonly log: Log;
  readonly maxActivities?: number;
  readonly maxTurns?: number;
}) => DurableEngine;

const GRACE_MS = 4000;
/** For the messages that are handed back. */
const HAND_BACK_MS = 300;
const TIMEOUT_CHECK_MS = 1000;

export class Host {
  readonly baseUrl: string;
  functions: RegisteredFunction[] = [];
  readonly #options: HostOptions;
  readonly #appDir: string;
  readonly #settings: Settings;
  readonly #hostJson: HostSettings;
  readonly #server: HostServer;
  readonly #createEngine: CreateEngine;
  readonly #log: Log;
  readonly #running = new RunningInvocations();
  readonly #database: Database;
  readonly #clients = new ServiceBusClients();
  readonly #listeners = new Map<string, Listener>();
  #app: LoadedApp | undefined;
  #engine: DurableEngine | undefined;
  #clientBinding: { json: string } | undefined;
  #timeoutCheck: NodeJS.Timeout | undefined;

  constructor(
    options: HostOptions,
    appDir: string,
    settings: Settings,
    server: HostServer,
    createEngine: CreateEngine,
  ) {
    this.#createEngine = createEngine;
    this.#options = options;
    this.#appDir = appDir;
    this.#settings = settings;
    this.#hostJson = readHostJson(appDir, settings);
    this.#server = server;
    this.baseUrl = `http://127.0.0.1:${server.port}`;
    this.#log = lineLog(options, this.#hostJson);
    mkdirSync(options.data, { recursive: true });
    this.#database = new Database(join(options.data, "host.db"), options.durability);
  }

  async start(): Promise<void> {
    const app = await this.#load();
    this.#app = app;
    checkLibraries(this.#appDir, usesDurable(app.functions.values()), (text) => this.#say("warning", text));
    this.functions = this.#bind(app);
    if (usesDurable(app.functions.values())) this.#startEngine(app);
    this.#server.serve({
      app,
      routes: this.#routes(this.functions),
      streamUrl: app.capabilities["HttpUri"],
      engine: this.#engine,
      counts: () => this.#counts(),
      describe: (registered) => this.#describe(registered),
      runByHand: (name, input) => this.#runByHand(name, input),
      failed: (registered, invocationId, cause) => this.#failed(registered, invocationId, cause),
    });
    this.#engine?.start();
    for (const listener of this.#listeners.values()) listener.start();
    this.#watchTimeouts();
    this.#announce();
  }

  async close(): Promise<void> {
    clearInterval(this.#timeoutCheck);
    const deadline = Date.now() + (this.#options.graceMs ?? GRACE_MS);
    this.#server.drain();
    this.#engine?.hold();
    const listeners = [...this.#listeners.values()];
    await Promise.all(listeners.map((listener) => listener.stop()));
    const leftMs = (): number => Math.max(0, deadline - Date.now());
    const running = await this.#running.drained(leftMs());
    if (running.length > 0) this.#say("warning", `Did not end in time: ${running.join(", ")}`);
    await within(leftMs(), Promise.all(listeners.map((listener) => listener.ended())));
    await within(HAND_BACK_MS, Promise.all(listeners.map((listener) => listener.handBack())));
    await this.#engine?.close(leftMs());
    await this.#clients.close();
    await this.#app?.close();
    this.#database.close();
  }

  #load(): Promise<LoadedApp> {
    return loadApp(this.#appDir, {
      log: this.#log,
      input: ({ type }) => (isDurableClient(type) ? this.#clientBinding : undefined),
      writeOutputs: (registered, result) => this.#writeOutputs(registered.name, result),
      track: (registered, invocationId) => this.#track(registered, invocationId),
    });
  }

  #track(registered: RegisteredFunction, invocationId: string): () => void {
    const ended = this.#running.begin(registered, invocationId);
    const startedAt = performance.now();
    const { name } = registered;
    return () => {
      ended();
      const message = `ended after ${(performance.now() - startedAt).toFixed(1)} ms (invocation ${invocationId})`;
      this.#log({ level: "debug", category: `Function.${name}`, source: name, message });
    };
  }

  async #writeOutputs(functionName: string, { returnValue, outputs }: InvocationResult): Promise<void> {
    const { bindings = {} } = this.functions.find(({ name }) => name === functionName) ?? {};
    const written = Object.entries(bindings).map(async ([name, binding]) => {
      const data = name === "$return" ? returnValue : outputs[name];
      if (data && isSentOutput(binding.type, binding.direction)) await sendOutput(this.#clients, binding, data);
    });
    await Promise.all(written);
  }

  /** Fills in settings and makes the listeners. Every fault of every function is in the one error that this throws. */
  #bind(app: LoadedApp): RegisteredFunction[] {
    const enabled = [...app.functions.values()].filter(({ name }) => !isDisabled(name, this.#settings));
    const faults = enabled.flatMap(unknownBindings);
    const { bound, faults: missing } = bindFunctions(enabled, this.#settings);
    faults.push(...missing);
    this.#routes(bound, (fault) => faults.push(fault));
    if (faults.length === 0) {
      for (const registered of bound) {
        try {
          const listener = this.#listener(app, registered);
          if (listener) this.#listeners.set(registered.name, listener);
        } catch (cause) {
          faults.push(`function "${registered.name}": ${cause instanceof Error ? cause.message : String(cause)}`);
        }
      }
    }
    if (faults.length > 0) throw new Error(`The app cannot run here:\n${faults.map((line) => `  ${line}`).join("\n")}`);
    return bound;
  }

  #listener(app: LoadedApp, registered: RegisteredFunction): Listener | undefined {
    const context = { app, registered, log: this.#log };
    switch (triggerKind(registered)) {
      case "timer":
        return timerListener(context, timerStatuses(this.#database), this.#settings["WEBSITE_TIME_ZONE"]);
      case "serviceBus":
        return serviceBusListener(context, this.#clients, this.#hostJson.serviceBus);
      default:
        return undefined;
    }
  }

  #startEngine(app: LoadedApp): void {
    const { data, durability = "normal", durableReplay: replay = false } = this.#options;
    const hubName = fillIn(this.#hostJson.hubName, this.#settings, (name) => {
      throw new Error(`host.json: setting "${name}", which extensions.durableTask.hubName refers to, is missing`);
    });
    const { maxActivities, maxTurns } = this.#hostJson;
    const functions = [...app.functions].filter(([name]) => !isDisabled(name, this.#settings));
    this.#engine = this.#createEngine({
      app: {
        functions: new Map(functions),
        capabilities: app.capabilities,
        invoke: (name, invocation) => app.invoke(name, invocation),
        close: () => app.close(),
      },
      data,
      hubName,
      durability,
      replay,
      log: this.#log,
      ...(maxActivities !== undefined && { maxActivities }),
      ...(maxTurns !== undefined && { maxTurns }),
    });
    this.#clientBinding = { json: this.#engine.clientBinding(this.baseUrl) };
  }

  #routes(functions: readonly RegisteredFunction[], fault: (text: string) => void = () => undefined) {
    const http = functions.filter((registered) => triggerKind(registered) === "http");
    return httpRoutes(http, this.#hostJson.routePrefix, fault);
  }

  #counts(): Record<string, number> {
    const { commits: engineCommits = 0, ...engine } = this.#engine?.counts ?? {};
    const durable = Object.fromEntries(Object.entries(engine).map(([name, count]) => [`durable.${name}`, count]));
    return { ...this.#running.counts, commits: this.#database.counts.commits + engineCommits, ...durable };
  }

  #describe(registered: RegisteredFunction): object {
    const { name, trigger } = registered;
    const http = triggerKind(registered) === "http";
    return {
      name,
      triggerType: trigger.type,
      isDisabled: isDisabled(name, this.#settings),
      ...(http && { invokeUrlTemplate: `${this.baseUrl}/${routeTemplate(registered, this.#hostJson.routePrefix)}` }),
    };
  }

  #runByHand(functionName: string, input: string | undefined): string | undefined {
    const listener = this.#listeners.get(functionName);
    if (!listener) {
      return `Function "${functionName}" cannot be run this way: HTTP functions have their route, durable ones their client.`;
    }
    listener.runByHand(input).catch((cause: unknown) => this.#say("error", describeFault(cause)));
    return undefined;
  }

  #failed({ name }: RegisteredFunction, invocationId: string, cause: unknown): void {
    const message = `failed (invocation ${invocationId}): ${describeFault(cause)}`;
    this.#log({ level: "error", category: `Function.${name}`, source: name, message });
  }

  #say(level: "information" | "warning" | "error", message: string): void {
    this.#log({ level, category: "Host.Startup", source: "host", message });
  }

  #watchTimeouts(): void {
    const limitMs = this.#hostJson.functionTimeoutMs;
    if (limitMs === undefined) return;
    const told = new Set<string>();
    this.#timeoutCheck = setInterval(
      () => {
        for (const { functionName, invocationId } of this.#running.longerThan(limitMs)) {
          if (told.has(invocationId)) continue;
          told.add(invocationId);
          this.#say(
            "error",
            `Function "${functionName}" has run for longer than ${limitMs / 1000} s (functionTimeout).`,
          );
          this.#options.onTimeout?.(functionName);
        }
      },
      Math.min(TIMEOUT_CHECK_MS, limitMs / 4),
    ).unref();
  }

  #announce(): void {
    const write = this.#options.log ?? (() => undefined);
    write(`Functions host ready on ${this.baseUrl}`);
    write("");
    for (const registered of this.functions) {
      const { name, trigger } = registered;
      const methods = Array.isArray(trigger["methods"]) ? trigger["methods"].join(",").toUpperCase() : "";
      const url = `${this.baseUrl}/${routeTemplate(registered, this.#hostJson.routePrefix)}`;
      write(`  ${name}: ${triggerKind(registered) === "http" ? `[${methods}] ${url}` : trigger.type}`);
    }
    write("");
  }
}

function lineLog({ log, colour = false }: HostOptions, { logLevels }: HostSettings): Log {
  if (!log) return () => undefined;
  const isWritten = levelFilter(logLevels);
  return (entry) => {
    if (isWritten(entry)) log(formatEntry(entry, new Date(), colour));
  };
}
