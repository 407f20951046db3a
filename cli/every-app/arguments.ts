// Command lines: parsed by node:util, with one error that names every fault.
import { type ParseArgsConfig, parseArgs } from "node:util";
import { withAddress } from "./printed-commands.ts";
import { columnsFor, fitted } from "./wrapped.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
export type Values = { readonly [name: string]: string | boolean | undefined };

const HELP = { help: { type: "boolean", short: "h" } } as const;

export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Not a fault: the caller asked how the command is used. {@link runCommand} prints it. */
class HelpAsked extends Error {
  override readonly name = "HelpAsked";
}

/**
 * Every command has `--help`.
 * @throws UsageError, with the fault and the usage, if an option is unknown or lacks its value, or a word stands where the command takes none.
 */
export function readArguments(
  options: Options,
  usage: string,
  words: "words" | "no words" = "no words",
): { values: Values; positionals: string[] } {
  // Looked for before the rest is checked: whoever asks for help may not know what else is missing.
  const { values: asked } = parseArgs({ options: { ...options, ...HELP }, allowPositionals: true, strict: false });
  if (asked["help"]) throw new HelpAsked(usage);
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: words === "words", strict: true });
    return { values: values as Values, positionals };
  } catch (cause) {
    throw new UsageError(`${cause instanceof Error ? cause.message : String(cause)}\n\n${usage}`, { cause });
  }
}

/** A number option within bounds. @throws UsageError */
export function numberOf(values: Values, name: string, least: number, most: number): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (typeof text !== "string" || text === "" || !(value >= least && value <= most)) {
    throw new UsageError(`--${name} must be a number from ${least} to ${most}, and is ${String(text)}`);
  }
  return value;
}

/** An option that has to be one of a few words; the first of them without it. @throws UsageError */
export function choiceOf<T extends string>(values: Values, name: string, words: readonly [T, ...T[]]): T {
  const { [name]: given = words[0] } = values;
  const found = words.find((word) => word === given);
  if (!found) throw new UsageError(`--${name} must be ${words.join(" or ")}, and is ${String(given)}`);
  return found;
}

/** Ctrl-C, or a request to end, before there was anything to end in order. */
class Stopped extends Error {
  override readonly name = "Stopped";
}

/** As shells have it for SIGINT. */
const STOPPED = 130;

/** From here on Ctrl-C and a request to end abort the signal, and end the process no more. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  return stop.signal;
}

/**
 * What is starting, unless the signal comes first: then the command ends with a sentence and exit code 130, and what it started ends with it.
 * @param what is starting, as in "the stack"
 */
export async function unlessStopped<T>(starting: Promise<T>, what: string, stop: AbortSignal): Promise<T> {
  const stopped = new Promise<never>((_, reject) => {
    const end = () => reject(new Stopped(`Stopped before ${what} was up.`));
    if (stop.aborted) end();
    else stop.addEventListener("abort", end, { once: true });
  });
  stopped.catch(() => undefined);
  return Promise.race([starting, stopped]);
}

/** Runs a command: an expected fault is one message on standard error and exit code 1 (2 for a wrong call). */
export async function runCommand(command: () => Promise<number | undefined>): Promise<void> {
  try {
    process.exitCode = (await command()) ?? 0;
  } catch (cause) {
    if (cause instanceof HelpAsked) return leave(fitted(cause.message, columnsFor(process.stdout)));
    const isUsage = cause instanceof UsageError;
    // In a pipe whole lines are looked for.
    if (isUsage && process.stderr.isTTY) console.error(fitted(cause.message, columnsFor(process.stderr)));
    else console.error(cause instanceof Error ? (isUsage ? cause.message : withAddress(cause.message)) : cause);
    process.exitCode = cause instanceof Stopped ? STOPPED : isUsage ? 2 : 1;
  }
  leave("");
}

/** Not left to itself: seen with @azure/service-bus 7.9.5, a closed client's timer keeps the process for up to a minute. */
function leave(text: string): void {
  process.stdout.write(text && `${text}\n`, () => process.exit());
}
