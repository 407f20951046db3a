// Turns what an orchestrator asked for, an action of the library, into a command for the engine: one entry for each action type.
import { HOST_LIMITS } from "../limits.ts";
import type { LibraryAction, RetryOptions } from "./library.ts";

export const ActionType = {
  callActivity: 0,
  callActivityWithRetry: 1,
  callChild: 2,
  callChildWithRetry: 3,
  continueAsNew: 4,
  createTimer: 5,
  waitForExternalEvent: 6,
  callEntity: 7,
  callHttp: 8,
  signalEntity: 9,
  whenAny: 11,
  whenAll: 12,
  lockEntities: 13,
} as const;

/** What is to be done after the turn's commit. `id` is the task id that the completion carries. */
export type Command =
  | { readonly kind: "activity"; readonly id: number; readonly name: string; readonly input: string }
  | {
      readonly kind: "child";
      readonly id: number;
      readonly name: string;
      readonly instanceId: string | undefined;
      readonly input: string;
    }
  | { readonly kind: "timer"; readonly id: number; readonly fireAt: number };

type Maker = (action: LibraryAction, id: number) => Command;

const activity: Maker = (action, id) => ({
  kind: "activity",
  id,
  name: action.functionName ?? "",
  input: preparedText(action.input),
});

const child: Maker = ({ functionName = "", instanceId, input }, id) => ({
  kind: "child",
  id,
  name: functionName,
  instanceId,
  input: JSON.stringify(input ?? null) ?? "null",
});

const unsupported =
  (what: string): Maker =>
  () => {
    throw new Error(`${what} is not supported by the local durable engine.`);
  };

const makers: Readonly<Record<number, Maker>> = {
  [ActionType.callActivity]: activity,
  [ActionType.callActivityWithRetry]: activity,
  [ActionType.callChild]: child,
  [ActionType.callChildWithRetry]: child,
  [ActionType.createTimer]: (action, id) => timerCommand(id, action.fireAt?.getTime() ?? Number.NaN),
  [ActionType.callEntity]: unsupported("A durable entity"),
  [ActionType.signalEntity]: unsupported("A durable entity"),
  [ActionType.lockEntities]: unsupported("A durable entity"),
  [ActionType.callHttp]: unsupported("callHttp"),
};

/** The command for an action that took a task id. Throws for what the engine does not support. */
export function commandOf(action: LibraryAction, id: number): Command {
  const make = makers[action.actionType] ?? unsupported(`Action type ${action.actionType}`);
  return make(action, id);
}

export function timerCommand(id: number, fireAt: number): Command & { kind: "timer" } {
  return { kind: "timer", id, fireAt };
}

/** Inputs of activities and of continueAsNew: the library has made JSON of strings, and of nothing else. */
export function preparedText(input: unknown): string {
  return typeof input === "string" ? input : (JSON.stringify(input ?? null) ?? "null");
}

/** The pause after attempt `attempt`, counted from 1, as DurableTask.Core's RetryInterceptor computes it. */
export function taskRetryDelayMs(options: RetryOptions, attempt: number): number {
  const delay = options.firstRetryIntervalInMilliseconds * (options.backoffCoefficient ?? 1) ** (attempt - 1);
  return Math.min(delay, options.maxRetryIntervalInMilliseconds ?? HOST_LIMITS.retryPauseMs.value);
}
