// What Azure refuses of a function's bindings and retry policy: such a function is not loaded there. Source: FunctionDescriptorProvider and Utility of Microsoft's host.
import type { RetryPolicy } from "../contract.ts";
import type { FunctionMetadata } from "./core-module.ts";

const BINDING_NAME = /^(?:[a-zA-Z][a-zA-Z0-9]{0,127}|\$return)$/;
const DIRECTIONS = ["in", "out", "inout"];
/** By number too, as .NET reads an enumeration. */
const AUTH_LEVELS = ["anonymous", "user", "function", "system", "admin"];

/** Throws one error that names every fault. */
export function checkFunctions(functions: readonly FunctionMetadata[]): void {
  const faults = functions.flatMap(functionFaults);
  if (faults.length > 0) throw new Error(`Azure refuses these functions:\n  ${faults.join("\n  ")}`);
}

/** Each as a line. */
function functionFaults({ name, bindings, retryOptions }: FunctionMetadata): string[] {
  const names = Object.keys(bindings);
  const faults = names.flatMap((binding) => bindingFaults(binding, bindings[binding] ?? {}));
  const twice = names.find((one, index) => names.findIndex((other) => isSame(one, other)) < index);
  if (twice !== undefined) faults.push(`the name of its binding "${twice}" differs from another one only in case`);
  const triggers = Object.values(bindings).filter(({ type }) => /trigger$/i.test(String(type)));
  if (triggers.length > 1) faults.push("it has several triggers");
  if (triggers.some(({ direction }) => isSame(String(direction), "out"))) faults.push("its trigger is an output");
  const retry = retryOptions && retryFault(retryOptions);
  if (retry) faults.push(retry);
  return faults.map((fault) => `function "${name}": ${fault}`);
}

function bindingFaults(name: string, binding: { readonly [setting: string]: unknown }): string[] {
  const { type, direction, authLevel } = binding;
  const faults: string[] = [];
  if (!BINDING_NAME.test(name)) faults.push(`"${name}" is not a name of a binding: letters and digits, first a letter`);
  if (typeof type !== "string" || type === "") faults.push(`its binding "${name}" has no type`);
  const given = String(direction ?? "in");
  if (!DIRECTIONS.some((known) => isSame(known, given))) faults.push(`"${given}" is not a direction of a binding`);
  if (name === "$return" && !isSame(given, "out")) faults.push("its binding $return is no output");
  if (authLevel !== undefined && authLevel !== null && authLevel !== "" && !isAuthLevel(String(authLevel)))
    faults.push(`"${String(authLevel)}" is not an authLevel: it is one of ${AUTH_LEVELS.join(", ")}`);
  return faults;
}

const isAuthLevel = (text: string) => /^\d+$/.test(text) || AUTH_LEVELS.some((level) => isSame(level, text.trim()));

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** What is wrong with a retry policy. */
function retryFault(policy: RetryPolicy): string | undefined {
  const { retryStrategy, maxRetryCount, delayInterval, minimumInterval, maximumInterval } = policy;
  if (maxRetryCount === undefined) return "its retry policy has no maxRetryCount";
  if (maxRetryCount < -1) return "its retry policy has a maxRetryCount below -1, which means without end";
  if ([delayInterval, minimumInterval, maximumInterval].some((one) => one && one.seconds < 0))
    return "an interval of its retry policy is negative";
  if (retryStrategy !== "exponentialBackoff")
    return delayInterval ? undefined : "its retry policy of a fixed delay has no delayInterval";
  if (!minimumInterval || !maximumInterval)
    return "its retry policy of exponential backoff lacks its minimumInterval or its maximumInterval";
  return minimumInterval.seconds > maximumInterval.seconds
    ? "the minimumInterval of its retry policy is longer than the maximumInterval"
    : undefined;
}
