// Runs one invocation through the library's own model, in the order of the real worker: arguments, pre hooks, function, post hooks, response.

import { isError, shown, stackOf } from "../thrown.ts";
import type {
  CoreInvocation,
  FunctionCallback,
  FunctionMetadata,
  HookContext,
  LogCategory,
  ProgrammingModel,
  Registrations,
} from "./app/core-module.ts";
import { isDurableClient } from "./bindings/bindings.ts";
import type { Invocation, InvocationResult, RegisteredFunction, TypedData } from "./contract.ts";
import { offerActivityMetadata } from "./durable/activity-input.ts";
import type { Logger, LogLevel } from "./log.ts";

/** What the host adds to every invocation. */
export interface InvocationSurroundings {
  readonly log: Logger;
  /** What every durable client binding holds; undefined where there is none. */
  durableClient(): object | undefined;
  /** Sends what the function put into its output bindings; the invocation fails if this fails. */
  writeOutputs(registered: RegisteredFunction, result: InvocationResult, invocation: Invocation): Promise<void>;
}

/** A function with what an invocation needs, worked out once. */
export interface Invocable {
  readonly registered: RegisteredFunction;
  readonly metadata: FunctionMetadata;
  readonly callback: FunctionCallback;
  /** The durable client bindings. */
  readonly durableClients: readonly string[];
  /** Whether `writeOutputs` has anything to do. */
  readonly hasOutputs: boolean;
  readonly userCategory: string;
  readonly systemCategory: string;
}

/** Bindings whose output is not the host's to send: HTTP goes back to the caller. */
export function isSentOutput(type: string, direction: string): boolean {
  return direction === "out" && type.toLowerCase() !== "http";
}

export function invocable(
  registered: RegisteredFunction,
  metadata: FunctionMetadata,
  callback: FunctionCallback,
): Invocable {
  const others = Object.entries(registered.bindings).filter(([name]) => name !== registered.triggerName);
  const clients = others.filter(([, { type, direction }]) => direction === "in" && isDurableClient(type));
  return {
    registered,
    metadata,
    callback,
    durableClients: clients.map(([name]) => name),
    hasOutputs: others.some(([, binding]) => isSentOutput(binding.type, binding.direction)),
    userCategory: `Function.${registered.name}.User`,
    systemCategory: `Function.${registered.name}`,
  };
}

export async function runInvocation(
  target: Invocable,
  invocation: Invocation,
  model: ProgrammingModel,
  hooks: Registrations["hooks"],
  surroundings: InvocationSurroundings,
): Promise<InvocationResult> {
  const core = coreInvocation(target, invocation, surroundings.log, hooks.log);
  const invocationModel = model.getInvocationModel(core);
  const { context, inputs } = await invocationModel.getArguments();
  // Read by now, and the library keeps `core` for longer than the invocation.
  core.request.inputData.length = 0;
  const client = surroundings.durableClient();
  if (client) for (const name of target.durableClients) context.extraInputs.set(name, client);
  invocation.prepare?.(context, core);
  if (invocation.activity) offerActivityMetadata(context, target.registered.triggerName, invocation.activity);

  const hookContext: HookContext = {
    hookData: {},
    invocationContext: context,
    inputs,
    functionCallback: target.callback,
  };
  if (hooks.preInvocation.length > 0) {
    core.state = "preInvocationHooks";
    await runHooks(hooks.preInvocation, hookContext);
  }

  const outcome: HookContext = { hookData: hookContext.hookData, invocationContext: context };
  core.state = "invocation";
  try {
    outcome.result = await invocationModel.invokeFunction(
      context,
      hookContext.inputs ?? inputs,
      hookContext.functionCallback ?? target.callback,
    );
  } catch (cause) {
    outcome.error = cause ?? new Error("The function threw nothing.");
  }

  if (hooks.postInvocation.length > 0) {
    core.state = "postInvocationHooks";
    outcome.inputs = hookContext.inputs ?? inputs;
    await runHooks(hooks.postInvocation, outcome);
  }
  core.state = undefined;
  if (isFault(outcome.error)) throw outcome.error;

  const response = await invocationModel.getResponse(context, outcome.result);
  const outputs: Record<string, TypedData> = {};
  for (const { name, data } of response.outputData ?? []) outputs[name] = data;
  const result: InvocationResult = { returnValue: response.returnValue ?? undefined, outputs };
  if (target.hasOutputs) await surroundings.writeOutputs(target.registered, result, invocation);
  return result;
}

function coreInvocation(
  target: Invocable,
  invocation: Invocation,
  log: Logger,
  logHooks: Registrations["hooks"]["log"],
): CoreInvocation {
  const { invocationId } = invocation;
  const { registered, metadata } = target;
  const inputData = Object.entries(invocation.inputs).map(([name, data]) => ({ name, data }));
  const hooked = (level: LogLevel, category: LogCategory, message: string): HookContext => {
    const entry: HookContext = { hookData: {}, level, category, message };
    for (const hook of logHooks) hook(entry);
    return entry;
  };
  return {
    invocationId,
    metadata,
    state: undefined,
    request: {
      invocationId,
      functionId: registered.name,
      inputData,
      triggerMetadata: invocation.triggerMetadata,
      traceContext: {
        traceParent: invocation.traceParent ?? "",
        traceState: invocation.traceState ?? "",
        attributes: {},
      },
      retryContext: invocation.retry,
    },
    log(level, category, message) {
      const entry: Pick<HookContext, "level" | "message"> = logHooks.length > 0 ? hooked(level, category, message) : {};
      log({
        level: entry.level ?? level,
        category: category === "user" ? target.userCategory : target.systemCategory,
        source: registered.name,
        message: entry.message ?? message,
      });
    },
  };
}

export async function runHooks(hooks: readonly ((context: HookContext) => unknown)[], context: HookContext) {
  for (const hook of hooks) await hook(context);
}

function isFault(error: unknown): boolean {
  return error !== undefined && error !== null;
}

/** What was thrown, and what led to it, as text for a log line. */
export function describeFault(cause: unknown): string {
  if (!isError(cause)) return shown(cause);
  return isError(cause.cause) ? `${stackOf(cause)}\ncaused by ${describeFault(cause.cause)}` : stackOf(cause);
}
