// The running host: connects app, triggers, bindings, durable engine and server, and closes them again.
import { join } from "node:path";
import { Database } from "../database/database.ts";
import { makeFolder } from "../make-folder.ts";
import { messageOf } from "../thrown.ts";
import { announcement } from "./app/announcement.ts";
import { type LoadedApp, loadApp } from "./app/app.ts";
import { bundleWarnings, hubNameFault, timerWarnings, timeSpanFaults } from "./app/azure-checks.ts";
import { ByName } from "./app/by-name.ts";
import { checkLibraries } from "./app/self-check.ts";
import { AppBindings } from "./bindings/app-bindings.ts";
import { triggerKind, unknownBindings, usesDurable } from "./bindings/bindings.ts";
import { within } from "./bindings/service-bus-clients.ts";
import type { DurableEngine, RegisteredFunction } from "./contract.ts";
import { sharedBinding } from "./durable/client-binding.ts";
import { openDurable } from "./durable-of-host.ts";
import { answerActivity, type SharedActivities } from "./flex/activities.ts";
import { type DescribedApp, type DescribedFunction, DURABLE_GROUP, groupOf, HTTP_GROUP } from "./flex/groups.ts";
import { watchTimeouts } from "./function-timeout.ts";
import { type HostSettings, readHostJson } from "./host-json.ts";
import { HostLog } from "./host-log.ts";
import type { CreateEngine, HostOptions } from "./host-options.ts";
import { RequestThrottle } from "./http/request-throttle.ts";
import type { HostServer } from "./http/server.ts";
import { describeFault } from "./invocation.ts";
import { RunningInvocations } from "./running.ts";
import { bindFunctions, fillIn, isDisabled, type Settings } from "./settings.ts";
import { httpRoutes, routeTemplate } from "./triggers/http.ts";
import type { Listener } from "./triggers/listener.ts";
import { listenerOf } from "./triggers/listeners.ts";

/** For the messages that are returned to their queues. */
const HAND_BACK_MS = 300;

export class Host {
  functions: RegisteredFunction[] = [];
  readonly #baseUrl: string;
  readonly #options: HostOptions;
  readonly #appDir: string;
  readonly #settings: Settings;
  readonly #hostJson: HostSettings;
  readonly #lines: HostLog;
  readonly #running = new RunningInvocations();
  readonly #bindings: AppBindings;
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
    this.#lines = new HostLog(options, this.#hostJson.logLevels);
    this.#bindings = new AppBindings((level, text) => this.#lines.say(level, text));
    makeFolder(options.data);
  }

  /** Loads the app and checks it. Only its appStart hooks run yet. */
  async load({ runsHooks = true } = {}): Promise<void> {
    const app = await loadApp(this.#appDir, {
      runsHooks,
      log: this.#lines.log,
      durableClient: () => this.#clientBinding,
      writeOutputs: ({ name }, result, invocation) => this.#bindings.write(name, result, invocation),
      track: (registered, invocationId) => {
        const ended = this.#running.begin(registered, invocationId);
        return this.#lines.timed(registered.name, invocationId, ended);
      },
    });
    this.#app = app;
    // Of several processes, the one that describes the app logs it for all.
    const warn = this.#options.role ? () => undefined : (text: string) => this.#lines.say("warning", text);
    checkLibraries(this.#appDir, usesDurable(app.functions.values()), warn);
    for (const line of this.#hostJson.warnings) warn(line);
    for (const line of bundleWarnings(app.functions.values(), this.#hostJson)) warn(line);
    this.functions = this.#bind(app);
    for (const line of timerWarnings(this.functions, this.#settings)) warn(line);
    this.#bindings.functions = this.functions;
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
      throttle: new RequestThrottle(this.#hostJson.http),
      customHeaders: this.#hostJson.http.customHeaders,
      engine: this.#engine,
      checksKeys: this.#options.keys === true,
      invokeActivity: role?.group === DURABLE_GROUP ? (call) => answerActivity(app, call) : undefined,
      counts: () => this.#counts(),
      describe: (registered) => this.#describe(registered),
      runByHand: (name, input) => this.#runByHand(name, input),
      failed: ({ name }, invocationId, cause) => this.#lines.failed(name, invocationId, cause),
    });
    this.#engine?.start();
    for (const listener of this.#listeners.values()) listener.start();
    const limitMs = this.#hostJson.functionTimeoutMs;
    if (limitMs !== undefined) {
      this.#timeoutCheck = watchTimeouts(this.#running, limitMs, (name) => {
        const limit = `${limitMs / 1000} s (functionTimeout)`;
        this.#lines.say("error", `Function "${name}" has run for longer than ${limit}.`);
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
    if (running.length > 0) this.#lines.say("warning", `Did not end in time: ${running.join(", ")}`);
    await within(leftMs(), Promise.all(listeners.map((listener) => listener.ended())));
    await within(HAND_BACK_MS, Promise.all(listeners.map((listener) => listener.handBack())));
    await this.#engine?.close(leftMs());
    await this.#bindings.close();
    await this.#app?.close();
    this.#database?.close();
  }

  #servesGroup(group: string): boolean {
    const { role } = this.#options;
    return role === undefined || role.group === group;
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
    const isFlex = this.#options.topology === "flex" || this.#options.role !== undefined;
    if (isFlex) faults.push(...timeSpanFaults(bound));
    if (faults.length === 0) {
      const parts = {
        bindings: this.#bindings,
        hostJson: this.#hostJson,
        timeZone: isFlex ? undefined : this.#settings["WEBSITE_TIME_ZONE"],
        engine: this.#options.engine,
        database: () => this.#openDatabase(),
      };
      for (const registered of bound) {
        if (!this.#servesGroup(groupOf(registered))) continue;
        try {
          const listener = listenerOf({ app, registered, log: this.#lines.log }, parts);
          if (listener) this.#listeners.set(registered.name, listener);
        } catch (cause) {
          faults.push(`function "${registered.name}": ${messageOf(cause)}`);
        }
      }
    }
    if (faults.length > 0) throw new Error(`The app cannot run here:\n${faults.map((line) => `  ${line}`).join("\n")}`);
    return bound;
  }

  #openDurable(app: LoadedApp, createEngine: CreateEngine): void {
    const hubName = this.#hubName();
    this.#clientBinding = sharedBinding(hubName, this.#baseUrl);
    const functions = new ByName<RegisteredFunction>();
    for (const [name, one] of app.functions) if (!isDisabled(name, this.#settings)) functions.set(name, one);
    const { engine, sharedActivities } = openDurable({
      app,
      functions,
      hubName,
      options: this.#options,
      hostJson: this.#hostJson,
      log: this.#lines.log,
      createEngine,
      warn: (text) => this.#lines.say("warning", text),
    });
    this.#engine = engine;
    this.#sharedActivities = sharedActivities;
  }

  #openDatabase(): Database {
    this.#database ??= new Database(join(this.#options.data, "host.db"), this.#options.durability);
    return this.#database;
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
    listener.runByHand(input).catch((cause: unknown) => this.#lines.say("error", describeFault(cause)));
    return undefined;
  }
}
