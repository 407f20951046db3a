// Command lines: parsed by node:util, with one error that names every fault.
import { type ParseArgsConfig, parseArgs } from "node:util";

type Options = NonNullable<ParseArgsConfig["options"]>;
export type Values = { readonly [name: string]: string | boolean | undefined };

export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** @throws UsageError, with all faults and the usage, if an option is unknown or lacks its value. */
export function readArguments(options: Options, usage: string): { values: Values; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true, strict: true });
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

/** Runs a command: an expected fault is one message on standard error and exit code 1 (2 for a wrong call). */
export async function runCommand(command: () => Promise<number | undefined>): Promise<void> {
  try {
    process.exitCode = (await command()) ?? 0;
  } catch (cause) {
    console.error(cause instanceof Error ? cause.message : cause);
    process.exitCode = cause instanceof UsageError ? 2 : 1;
  }
  // Not left to itself: seen with @azure/service-bus 7.9.5, a closed client's timer keeps the process for up to a minute.
  process.stdout.write("", () => process.exit());
}
