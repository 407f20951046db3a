// Loads a Functions app, as the Node worker does: imports what `main` of its package.json names, and keeps what it registers.
import { globSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { FunctionApp, Invocation, InvocationResult, RegisteredFunction } from "../contract.ts";
import { readJson } from "../host-json.ts";
import {
  describeFault,
  type Invocable,
  type InvocationSurroundings,
  invocable,
  runHooks,
  runInvocation,
} from "../invocation.ts";
import type { Logger } from "../log.ts";
import { ByName } from "./by-name.ts";
import { installCoreModule, type ProgrammingModel, Registrations, receiveRegistrations } from "./core-module.ts";
import { checkFunctions } from "./function-faults.ts";
import { checkNames } from "./function-names.ts";
import { checkModel } from "./self-check.ts";

const NO_STREAMS =
  "Streamed HTTP, which the app asks for by app.setup({ enableHttpStream: true }), is not supported by this host: leave it out.";

interface LoadOptions extends Partial<InvocationSurroundings> {
  /** Whether the appStart hooks run; they do if absent. */
  readonly runsHooks?: boolean;
  /** Told of each invocation when it begins; what it returns is called when it has ended. */
  readonly track?: (registered: RegisteredFunction, invocationId: string) => () => void;
}

export interface LoadedApp extends FunctionApp {
  /** Runs the appTerminate hooks. */
  close(): Promise<void>;
}

/** A module runs once a process, so an app that is loaded again is what it registered the first time. */
const registered = new Map<string, Registrations>();

/** Loads the app in `appDir`. Rejects with a clear error when a file cannot be imported or nothing is registered. */
export async function loadApp(appDir: string, options: LoadOptions = {}): Promise<LoadedApp> {
  const folder = realpathSync(appDir);
  const log = options.log ?? (() => undefined);
  const registrations = registered.get(folder) ?? new Registrations();
  registrations.log = systemLog(log);
  if (!registered.has(folder)) {
    installCoreModule();
    receiveRegistrations(registrations);
    for (const file of entryFiles(folder)) await importFile(folder, file);
    registrations.locked = true;
    registered.set(folder, registrations);
  }
  const { model } = registrations;
  if (!model || registrations.functions.size === 0) {
    throw new Error(
      `No function is registered by the app in ${folder}: does "main" of its package.json name the right files?`,
    );
  }
  checkModel(model);
  const { HttpUri: streams } = await model.getCapabilities({});
  if (streams !== undefined) throw new Error(NO_STREAMS);
  if (options.runsHooks !== false) await runHooks(registrations.hooks.appStart, { hookData: {} });
  return new App(registrations, model, options, log);
}

class App implements LoadedApp {
  readonly functions = new ByName<RegisteredFunction>();
  readonly #invocables = new ByName<Invocable>();
  readonly #registrations: Registrations;
  readonly #model: ProgrammingModel;
  readonly #surroundings: InvocationSurroundings;
  readonly #track: LoadOptions["track"];

  constructor(registrations: Registrations, model: ProgrammingModel, options: LoadOptions, log: Logger) {
    this.#registrations = registrations;
    this.#model = model;
    this.#surroundings = {
      log,
      durableClient: options.durableClient ?? (() => undefined),
      writeOutputs: options.writeOutputs ?? (async () => undefined),
    };
    this.#track = options.track;
    checkNames([...registrations.functions.keys()]);
    checkFunctions([...registrations.functions.values()].map(({ metadata }) => metadata));
    for (const [name, { metadata, callback }] of registrations.functions) {
      const [triggerName, trigger] =
        Object.entries(metadata.bindings).find(([, { type }]) => /trigger$/i.test(type)) ?? [];
      if (!triggerName || !trigger) throw new Error(`Function "${name}" has no trigger.`);
      const retry = metadata.retryOptions;
      const described = { name, triggerName, trigger, bindings: metadata.bindings, ...(retry && { retry }) };
      this.functions.set(name, described);
      this.#invocables.set(name, invocable(described, metadata, callback));
    }
  }

  async invoke(functionName: string, invocation: Invocation): Promise<InvocationResult> {
    const target = this.#invocables.get(functionName);
    if (!target) throw new Error(`The app has no function "${functionName}".`);
    const ended = this.#track?.(target.registered, invocation.invocationId);
    try {
      return await runInvocation(target, invocation, this.#model, this.#registrations.hooks, this.#surroundings);
    } finally {
      ended?.();
    }
  }

  async close(): Promise<void> {
    await runHooks(this.#registrations.hooks.appTerminate, { hookData: {} });
  }
}

function entryFiles(folder: string): string[] {
  const main = readJson(join(folder, "package.json"))["main"];
  if (typeof main !== "string" || main === "") {
    throw new Error(
      `${join(folder, "package.json")} has no "main": it has to name the files that register functions, such as "dist/functions/*.js"`,
    );
  }
  const files = globSync(main, { cwd: folder }).sort();
  if (files.length === 0)
    throw new Error(`"main" of ${join(folder, "package.json")}, "${main}", matches no file: is the app built?`);
  return files.map((file) => join(folder, file));
}

async function importFile(folder: string, file: string): Promise<void> {
  try {
    await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (cause) {
    throw new Error(
      `${relative(folder, file)} of the app in ${folder} failed while it was imported: ${describeFault(cause)}`,
      {
        cause,
      },
    );
  }
}

function systemLog(log: Logger): Registrations["log"] {
  return (level, category, message) =>
    log({ level, category: category === "user" ? "Worker.User" : "Worker", source: "host", message });
}
