// What a host logs of itself and of the runs of functions.
import type { HostOptions } from "./host-options.ts";
import { describeFault } from "./invocation.ts";
import { formatEntry, type Logger, type LogLevel, levelFilter } from "./log.ts";

export class HostLog {
  /** Writes what the levels of host.json let through. */
  readonly log: Logger;
  readonly #isWritten: ReturnType<typeof levelFilter>;

  constructor({ log, colour = false }: HostOptions, logLevels: Readonly<Record<string, LogLevel>>) {
    this.#isWritten = levelFilter(logLevels);
    this.log = (entry) => {
      if (log && this.#isWritten(entry)) log(formatEntry(entry, new Date(), colour));
    };
  }

  say(level: "information" | "warning" | "error", message: string): void {
    this.log({ level, category: "Host.Startup", source: "host", message });
  }

  failed(functionName: string, invocationId: string, cause: unknown): void {
    const message = `failed (invocation ${invocationId}): ${describeFault(cause)}`;
    this.log({ level: "error", category: `Function.${functionName}`, source: functionName, message });
  }

  /** `ended`, which also logs how long the run took: every invocation ends, and most hosts do not log that. */
  timed(functionName: string, invocationId: string, ended: () => void): () => void {
    const category = `Function.${functionName}`;
    if (!this.#isWritten({ level: "debug", category })) return ended;
    const startedAt = performance.now();
    return () => {
      ended();
      const message = `ended after ${(performance.now() - startedAt).toFixed(1)} ms (invocation ${invocationId})`;
      this.log({ level: "debug", category, source: functionName, message });
    };
  }
}
