// What every trigger that listens by itself offers the host.
import type { FunctionApp, RegisteredFunction } from "../contract.ts";
import type { Logger } from "../log.ts";

export interface Listener {
  readonly functionName: string;
  /** Begins to invoke the function. */
  start(): void;
  /** Invokes nothing more; runs under way go on. Resolves when no further invocation can begin. */
  stop(): Promise<void>;
  /** Resolves when all that it invoked has ended and is recorded or settled. */
  ended(): Promise<void>;
  /** Gives back the messages of runs that have not ended, so that another process gets them now and not when their locks end. */
  handBack(): Promise<void>;
  /** Runs the function once by hand, with the text that was posted, if any. */
  runByHand(input: string | undefined): Promise<void>;
}

export interface ListenerContext {
  readonly app: FunctionApp;
  /** With its settings filled in. */
  readonly registered: RegisteredFunction;
  readonly log: Logger;
}

/** One line of the host about a function. */
export function hostLine({ registered, log }: Pick<ListenerContext, "registered" | "log">) {
  return (level: "debug" | "information" | "warning" | "error", message: string): void =>
    log({ level, category: `Function.${registered.name}`, source: registered.name, message });
}
