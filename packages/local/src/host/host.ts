// The running host: connects app, triggers, bindings, durable engine and server, and closes them again.
import { join } from "node:path";
import { Database, type Durability } from "../database/database.ts";
import { makeFolder } from "../make-folder.ts";
import { messageOf } from "../thrown.ts";
import { announcement } from "./app/announcement.ts";
import { type LoadedApp, loadApp } from "./app/app.ts";
import { bundleWarnings, hubNameFault } from "./app/azure-checks.ts";
import { ByName } from "./app/by-name.ts";
import { checkLibraries } from "./app/self-check.ts";
import { resolveExpressions } from "./bindings/binding-expressions.ts";
import { triggerKind, unknownBindings, usesDurable } from "./bindings/bindings.ts";
import { readInput } from "./bindings/inputs.ts";
import { writeOutput } from "./bindings/outputs.ts";
import { ServiceBusClients, within } from "./bindings/service-bus-clients.ts";
import { CosmosClients } from "./change-feed/cosmos-clients.ts";
import type { DurableEngine, Invocation, InvocationResult, RegisteredFunction } from "./contract.ts";
import { sharedBinding } from "./durable/client-binding.ts";
import { type EngineName, MAX_ACTIVITIES, type StorageProviderSettings } from "./durable/engine-profile.ts";
import { answerActivity, SharedActivities } from "./flex/activities.ts";
import {
  type DescribedApp,
  type DescribedFunction,
  DURABLE_GROUP,
  groupOf,
  HTTP_GROUP,
  type Role,
} from "./flex/groups.ts";
import { watchTimeouts } from "./function-timeout.ts";
import { type HostSettings, readHostJson } from "./host-json.ts";
import type { DurableSettings } from "./host-json-durable.ts";
import { RequestThrottle } from "./http/request-throttle.ts";
import type { HostServer } from "./http/server.ts";
import { describeFault, isSentOutput } from "./invocation.ts";
import { formatEntry, type Log, levelFilter } from "./log.ts";
import { RunningInvocations } from "./running.ts";
import { timerStatuses } from "./schedule/timer-status.ts";
import { bindFunctions, fillIn, isDisabled, type Settings } from "./settings.ts";
import { blobListener } from "./triggers/blob.ts";
import { cosmosListener } from "./triggers/cosmos.ts";
import { httpRoutes, routeTemplate } from "./triggers/http.ts";
import type { Listener } from "./triggers/listener.ts";
import { ListenerLock } from "./triggers/listener-lock.ts";
import { serviceBusListener } from "./triggers/service-bus.ts";
import { storageQueueListener } from "./triggers/storage-queue.ts";
import { timerListener } from "./triggers/timer.ts";
import { warmupListener } from "./triggers/warmup.ts";

/** The app that the host runs, the host's port and data, and the app's settings. */
export interface HostOptions {
  /** The folder of the app, with its package.json and host.json. */
  readonly appDir: string;
  /** 0: any free one. */
  readonly port: number;
  /** The folder of the host's databases; created if absent. */
  readonly data: string;
  readonly durability?: Durability;
  /** App settings that override process.env and local.settings.json. */
  readonly settings?: Settings;
  /** Replays each orchestration from its history at every turn, as Azure does, and keeps none in memory. */
  readonly durableReplay?: boolean;
  /** The durable engine, and with `azure-storage` also the timers' locks as in Azure. `fast` if absent. */
  readonly engine?: EngineName;
  /** Functions of the levels `function` and `admin`, and `/admin`, need their keys, as in Azure. */
  readonly keys?: boolean;
  readonly log?: (line: string) => void;
  /** Whether `log` shows colours. */
  readonly colour?: boolean;
  /** Set if this process is one of several that run the app: then it loads the whole app, and serves this part. */
  readonly role?: Role;
  /** Called with a function that ran longer than `functionTimeout`: Azure then replaces the worker process. */
  readonly onTimeout?: (functionName: string) => void;
}

/** Creates the durable engine; called only if the app has durable functions. */
export type CreateEngine = (options: {
  readonly app: LoadedApp;
  readonly data: string;
  readonly hubName: string;
  readonly durability: Durability;
  readonly replay: boolean;
  readonly engine: EngineName;
  readonly storage: StorageProviderSettings;
  readonly log: Log;
  readonly settings: DurableSettings;
  readonly maxActivities?: number;
  readonly maxTurns?: number;
}) => DurableEngine;

/** For the messages that are returned to their queues. */
const HAND_BACK_MS = 300;

export class Host {
  functions: RegisteredFunction[] = [];
  readonly #baseUrl: string;
  readonly #options: HostOptions;
  readonly #appDir: string;
  readonly #settings: Settings;
  readonly #hostJson: HostSettings;
  readonly #isWritten: ReturnType<typeof levelFilter>;
  readonly #log: Log;
  readonly #running = new RunningInvocations();
  readonly #clients = new ServiceBusClients((level, text) => this.#say(level, text));
  readonly #cosmosClients = new CosmosClients();
  readonly #listeners = new Map<string, Listener>();
  #server: HostServer | undefined;
  #database: Database | undefined;
  #app: LoadedApp | undefined;
  #engine: DurableEngine | undefined;
  #sharedActivities: SharedActivities | undefined;
  #clientBinding: object | undefined;
  #timeoutCheck: NodeJS.Timeout | undefined;

  /** @param baseUrl the app's address */
  constructor(options: HostOptions, appDir: string, settings: Settings, baseUrl: string) {
    this.#options = options;
    this.#appDir = appDir;
    this.#settings = settings;
    this.#hostJson = readHostJson(appDir, settings);
    this.#baseUrl = baseUrl;
    this.#isWritten = levelFilter(this.#hostJson.logLevels);
    this.#log = lineLog(options, this.#isWritten);
    makeFolder(options.data);
  }

  /** Loads the app and checks it. Only its appStart hooks run yet. */
  async load({ runsHooks = true } = {}): Promise<void> {
    const app = await loadApp(this.#appDir, {
      runsHooks,
      log: this.#log,
      durableClient: () => this.#clientBinding,
      input: (registered, name, invocation) => this.#input(registered, name, invocation),
      writeOutputs: (registered, result, invocation) => this.#writeOutputs(registered.name, result, invocation),
      track: (registered, invocationId) => this.#track(registered, invocationId),
    });
    this.#app = app;
    // Of several processes, the one that describes the app logs it for all.
    const warn = this.#options.role ? () => undefined : (text: string) => this.#say("warning", text);
    checkLibraries(this.#appDir, usesDurable(app.functions.values()), warn);
    for (const line of this.#hostJson.warnings) warn(line);
    for (const line of bundleWarnings(app.functions.values(), this.#hostJson)) warn(line);
    this.functions = this.#bind(app);
  }

  describe(): DescribedApp {
    const registered = [...(this.#app?.functions.values() ?? [])];
    return {
      functions: registered.map((one) => ({ ...this.#describe(one), group: groupOf(one) })),
      usesDurable: usesDurable(registered),
    };
  }

  /** Starts to invoke the functions, or this process's part of them. */
  serve(server: HostServer, createEngine: CreateEngine): void {
    const app = this.#app;
    if (!app) throw new Error("the app has to be loaded first");
    this.#server = server;
    const { role } = this.#options;
    if (usesDurable(app.functions.values())) this.#openDurable(app, createEngine);
    server.serve({
      app,
      routes: this.#servesGroup(HTTP_GROUP) ? this.#routes(this.functions) : [],
      streamUrl: app.capabilities["HttpUri"],
      throttle: new RequestThrottle(this.#hostJson.http),
      customHeaders: this.#hostJson.http.customHeaders,
      engine: this.#engine,
      checksKeys: this.#options.keys === true,
      invokeActivity: role?.group === DURABLE_GROUP ? (call) => answerActivity(app, call) : undefined,
      counts: () => this.#counts(),
      describe: (registered) => this.#describe(registered),
      runByHand: (name, input) => this.#runByHand(name, input),
      failed: (registered, invocationId, cause) => this.#failed(registered, invocationId, cause),
    });
    this.#engine?.start();
    for (const listener of this.#listeners.values()) listener.start();
    const limitMs = this.#hostJson.functionTimeoutMs;
    if (limitMs !== undefined) {
      this.#timeoutCheck = watchTimeouts(this.#running, limitMs, (name) => {
        const limit = `${limitMs / 1000} s (functionTimeout)`;
        this.#say("error", `Function "${name}" has run for longer than ${limit}.`);
        this.#options.onTimeout?.(name);
      });
    }
    if (role) return;
    const { functions } = this;
    const { routePrefix } = this.#hostJson;
    const checksKeys = this.#options.keys === true;
    const lines = announcement({ functions, baseUrl: this.#baseUrl, routePrefix, checksKeys });
    for (const line of lines) this.#options.log?.(line);
  }

  hold(): void {
    this.#engine?.hold();
    this.#sharedActivities?.hold();
  }

  shareActivities(ports: readonly number[]): void {
    this.#sharedActivities?.shareWith(ports);
  }

  async close(graceMs: number): Promise<void> {
    clearInterval(this.#timeoutCheck);
    const deadline = Date.now() + graceMs;
    this.#server?.drain();
    this.hold();
    const listeners = [...this.#listeners.values()];
    await Promise.all(listeners.map((listener) => listener.stop()));
    const leftMs = (): number => Math.max(0, deadline - Date.now());
    // The durable engine drains its own invocations, if it is in this process.
    const running = await this.#running.drained(leftMs(), this.#engine ? "received" : "all");
    if (running.length > 0) this.#say("warning", `Did not end in time: ${running.join(", ")}`);
    await within(leftMs(), Promise.all(listeners.map((listener) => listener.ended())));
    await within(HAND_BACK_MS, Promise.all(listeners.map((listener) => listener.handBack())));
    await this.#engine?.close(leftMs());
    await this.#clients.close();
    this.#cosmosClients.close();
    await this.#app?.close();
    this.#database?.close();
  }

  #servesGroup(group: string): boolean {
    const { role } = this.#options;
    return role === undefined || role.group === group;
  }

  #track(registered: RegisteredFunction, invocationId: string): () => void {
    const ended = this.#running.begin(registered, invocationId);
    const { name } = registered;
    const category = `Function.${name}`;
    // Every invocation ends, and most hosts do not log that.
    if (!this.#isWritten({ level: "debug", category })) return ended;
    const startedAt = performance.now();
    return () => {
      ended();
      const message = `ended after ${(performance.now() - startedAt).toFixed(1)} ms (invocation ${invocationId})`;
      this.#log({ level: "debug", category, source: name, message });
    };
  }

  #input({ name }: RegisteredFunction, place: string, invocation: Invocation) {
    const filled = this.functions.find((registered) => registered.name === name)?.bindings[place];
    return filled && readInput(filled, invocation, this.#cosmosClients);
  }

  async #writeOutputs(name: string, { returnValue, outputs }: InvocationResult, invocation: Invocation): Promise<void> {
    const { bindings = {} } = this.functions.find((registered) => registered.name === name) ?? {};
    const clients = { serviceBus: this.#clients, cosmos: this.#cosmosClients, queues: this.#hostJson.queues };
    const written = Object.entries(bindings).map(async ([place, binding]) => {
      const data = place === "$return" ? returnValue : outputs[place];
      if (!data || !isSentOutput(binding.type, binding.direction)) return;
      await writeOutput(resolveExpressions(binding, invocation), data, clients);
    });
    await Promise.all(written);
  }

  /** Fills in settings and creates the listeners. Throws one error with every fault of every function. */
  #bind(app: LoadedApp): RegisteredFunction[] {
    const enabled = [...app.functions.values()].filter(({ name }) => !isDisabled(name, this.#settings));
    const faults = enabled.flatMap(unknownBindings);
    const { bound, faults: missing } = bindFunctions(enabled, this.#settings);
    faults.push(...missing);
    if (usesDurable(enabled)) {
      const fault = hubNameFault(
        this.#hubName((text) => faults.push(text)),
        this.#hostJson,
      );
      if (fault !== undefined) faults.push(fault);
    }
    this.#routes(bound, (fault) => faults.push(fault));
    if (faults.length === 0) {
      for (const registered of bound) {
        if (!this.#servesGroup(groupOf(registered))) continue;
        try {
          const listener = this.#listener(app, registered);
          if (listener) this.#listeners.set(registered.name, listener);
        } catch (cause) {
          faults.push(`function "${registered.name}": ${messageOf(cause)}`);
        }
      }
    }
    if (faults.length > 0) throw new Error(`The app cannot run here:\n${faults.map((line) => `  ${line}`).join("\n")}`);
    return bound;
  }

  #listener(app: LoadedApp, registered: RegisteredFunction): Listener | undefined {
    const context = { app, registered, log: this.#log };
    switch (triggerKind(registered)) {
      case "timer": {
        this.#database ??= new Database(join(this.#options.data, "host.db"), this.#options.durability);
        const isLocked = this.#options.engine === "azure-storage";
        const lock = isLocked
          ? new ListenerLock(registered.name, this.#database, this.#hostJson.listenerLock)
          : undefined;
        return timerListener(context, timerStatuses(this.#database), this.#settings["WEBSITE_TIME_ZONE"], lock);
      }
      case "serviceBus":
        return serviceBusListener(context, this.#clients, this.#hostJson.serviceBus);
      case "warmup":
        return warmupListener(context);
      case "cosmosDB":
        return cosmosListener(context, this.#cosmosClients);
      case "blob":
        return blobListener(context, this.#hostJson.blobs, this.#hostJson.queues);
      case "queue":
        return storageQueueListener(context, this.#hostJson.queues);
      default:
        return undefined;
    }
  }

  /** Only one process has the engine; all others reach it at the app's address. */
  #openDurable(app: LoadedApp, createEngine: CreateEngine): void {
    const { data, durability = "normal", durableReplay: replay = false, engine = "fast", role } = this.#options;
    const hubName = this.#hubName();
    this.#clientBinding = sharedBinding(hubName, this.#baseUrl);
    if (role && !(role.group === DURABLE_GROUP && role.isFirst)) return;
    if (engine === "azure-storage") for (const line of this.#hostJson.refusedInAzure) this.#say("warning", line);
    const functions = new ByName<RegisteredFunction>();
    for (const [name, one] of app.functions) if (!isDisabled(name, this.#settings)) functions.set(name, one);
    const { maxActivities, maxTurns, durable, storage } = this.#hostJson;
    const shared = role ? new SharedActivities(app, functions, maxActivities ?? MAX_ACTIVITIES[engine]) : undefined;
    this.#sharedActivities = shared;
    const places = shared && role ? shared.placesEach * role.durableProcesses : maxActivities;
    this.#engine = createEngine({
      app: {
        functions,
        capabilities: app.capabilities,
        invoke: (name, invocation) => (shared ?? app).invoke(name, invocation),
        close: () => app.close(),
      },
      data,
      hubName,
      durability,
      replay,
      engine,
      storage,
      settings: durable,
      log: this.#log,
      ...(places !== undefined && { maxActivities: places }),
      ...(maxTurns !== undefined && { maxTurns }),
    });
  }

  #hubName(fault: (text: string) => void = () => undefined): string {
    return fillIn(this.#hostJson.hubName, this.#settings, (name) =>
      fault(`host.json: setting "${name}", which extensions.durableTask.hubName refers to, is missing`),
    );
  }

  #routes(functions: readonly RegisteredFunction[], fault: (text: string) => void = () => undefined) {
    const http = functions.filter((registered) => triggerKind(registered) === "http");
    return httpRoutes(http, this.#hostJson.routePrefix, fault);
  }

  #counts(): Record<string, number> {
    const { commits = 0, flushes = 0, ...engine } = this.#engine?.counts ?? {};
    const own = this.#database?.counts;
    const durable = Object.fromEntries(Object.entries(engine).map(([name, count]) => [`durable.${name}`, count]));
    const both = { commits: commits + (own?.commits ?? 0), flushes: flushes + (own?.flushes ?? 0) };
    return { ...this.#running.counts, ...both, ...durable };
  }

  #describe(registered: RegisteredFunction): Omit<DescribedFunction, "group"> {
    const { name, trigger } = registered;
    const http = triggerKind(registered) === "http";
    return {
      name,
      triggerType: trigger.type,
      isDisabled: isDisabled(name, this.#settings),
      ...(http && { invokeUrlTemplate: `${this.#baseUrl}/${routeTemplate(registered, this.#hostJson.routePrefix)}` }),
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
}

function lineLog({ log, colour = false }: HostOptions, isWritten: ReturnType<typeof levelFilter>): Log {
  if (!log) return () => undefined;
  return (entry) => {
    if (isWritten(entry)) log(formatEntry(entry, new Date(), colour));
  };
}
