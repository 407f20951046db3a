// Supplies `@azure/functions-core`, the module that the real worker puts under `@azure/functions`, for as long as this process lives.
import { registerHooks } from "node:module";
import { extname } from "node:path";
import type { InvocationContext } from "@azure/functions";
import type { Binding, InvocationState, RetryPolicy, TypedData } from "../contract.ts";
import type { LogLevel } from "../log.ts";

export type FunctionCallback = (...args: unknown[]) => unknown;
type HookName = "appStart" | "appTerminate" | "preInvocation" | "postInvocation" | "log";
type HookCallback = (context: HookContext) => unknown;

/** What a hook gets and may change: `inputs`, `functionCallback`, `result`, `error`, and for logs `level` and `message`. */
export interface HookContext {
  hookData: Record<string, unknown>;
  invocationContext?: InvocationContext;
  inputs?: unknown[];
  functionCallback?: FunctionCallback;
  result?: unknown;
  error?: unknown;
  level?: LogLevel;
  message?: string;
  category?: LogCategory;
}

export type LogCategory = "user" | "system" | "customMetric";

export interface FunctionMetadata {
  readonly name: string;
  readonly bindings: Record<string, Binding>;
  readonly retryOptions?: RetryPolicy | undefined;
}

/** What the library reads of an invocation. */
export interface CoreInvocation {
  readonly invocationId: string;
  readonly metadata: FunctionMetadata;
  /** `postInvocationHooks` lets a session that outlives its invocation go on logging without a warning. */
  state: InvocationState | undefined;
  readonly request: {
    readonly invocationId: string;
    readonly functionId: string;
    readonly inputData: { readonly name: string; readonly data: TypedData }[];
    readonly triggerMetadata: Readonly<Record<string, TypedData>> | undefined;
    readonly traceContext: {
      readonly traceParent: string;
      readonly traceState: string;
      readonly attributes: Readonly<Record<string, string>>;
    };
    readonly retryContext: RetryContext | undefined;
  };
  log(level: LogLevel, category: LogCategory, message: string): void;
}

interface RetryContext {
  readonly retryCount: number;
  readonly maxRetryCount: number;
}

interface InvocationModel {
  getArguments(): Promise<{ context: InvocationContext; inputs: unknown[] }>;
  invokeFunction(context: InvocationContext, inputs: unknown[], callback: FunctionCallback): Promise<unknown>;
  getResponse(
    context: InvocationContext,
    result: unknown,
  ): Promise<{
    readonly outputData?: { readonly name: string; readonly data: TypedData }[];
    readonly returnValue?: TypedData | null;
  }>;
}

export interface ProgrammingModel {
  readonly name: string;
  readonly version: string;
  getInvocationModel(core: CoreInvocation): InvocationModel;
  getCapabilities(capabilities: Record<string, string>): Promise<Record<string, string>>;
}

/** What one app registers while it loads. */
export class Registrations {
  readonly functions = new Map<string, { metadata: FunctionMetadata; callback: FunctionCallback }>();
  readonly hooks: Record<HookName, HookCallback[]> = {
    appStart: [],
    appTerminate: [],
    preInvocation: [],
    postInvocation: [],
    log: [],
  };
  model: ProgrammingModel | undefined;
  locked = false;
  /** Where log lines outside any invocation go. */
  log: (level: LogLevel, category: LogCategory, message: string) => void = () => undefined;
}

const CORE_URL = new URL(`./functions-core.c${extname(import.meta.filename).slice(1)}`, import.meta.url).href;
const SHARED = Symbol.for("local.host.functions-core");
const HOST_VERSION = "4.1037.0";

/** `@azure/functions` asks for the core once a process and keeps it, so the core is one, and the app being loaded is set in it. */
let current: Registrations | undefined;
let latestModel: ProgrammingModel | undefined;
let installed = false;

class Disposable {
  readonly #dispose: () => void;
  constructor(dispose: () => void) {
    this.#dispose = dispose;
  }
  dispose(): void {
    this.#dispose();
  }
}

const core = {
  version: "3.10.0",
  hostVersion: HOST_VERSION,
  Disposable,

  registerFunction(metadata: FunctionMetadata, callback: FunctionCallback): Disposable {
    const app = open("A function is registered while the app loads, not later.");
    if (app.functions.has(metadata.name)) {
      throw systemError(new Error(`A function "${metadata.name}" is registered twice.`));
    }
    app.functions.set(metadata.name, { metadata, callback });
    return new Disposable(() => {
      app.functions.delete(metadata.name);
    });
  },

  registerHook(name: string, callback: HookCallback): Disposable {
    if (!current) throw systemError(new Error("No app is loading, so no hook can be registered."));
    const list = current.hooks[name as HookName];
    if (!list) throw systemError(new RangeError(`There is no hook "${name}".`));
    list.push(callback);
    return new Disposable(() => {
      const index = list.indexOf(callback);
      if (index >= 0) list.splice(index, 1);
    });
  },

  setProgrammingModel(model: ProgrammingModel): void {
    latestModel = model;
    if (current) current.model = model;
  },

  getProgrammingModel(): ProgrammingModel | undefined {
    return current?.model ?? latestModel;
  },

  log(level: LogLevel, category: LogCategory, message: string): void {
    current?.log(level, category, message);
  },
};

function open(refusal: string): Registrations {
  if (!current || current.locked) throw systemError(new Error(refusal));
  return current;
}

/** The library tells its own faults from the app's by this mark. */
function systemError<E extends Error>(error: E): E {
  return Object.assign(error, { isAzureFunctionsSystemError: true });
}

/** Makes `require('@azure/functions-core')` find the core, in this process only: unit tests of an app stay in the library's test mode. */
export function installCoreModule(): void {
  if (installed) return;
  installed = true;
  Object.assign(globalThis, { [SHARED]: core });
  // No `load` beside it: with one, Node 22 up to 22.21 does not load what a CommonJS module requires in turn.
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "@azure/functions-core"
        ? { url: CORE_URL, format: "commonjs", shortCircuit: true }
        : next(specifier, context),
  });
}

/** From now on, what is registered goes to `registrations`. */
export function receiveRegistrations(registrations: Registrations): void {
  current = registrations;
  registrations.model ??= latestModel;
}
