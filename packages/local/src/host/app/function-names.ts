// The names that functions may have in Azure.
import { HOST_LIMITS } from "../limits.ts";

/** As Microsoft's host has it, whatever the case. */
const FUNCTION_NAME = new RegExp(`^(?!host$)[a-z][a-z0-9_-]{0,${HOST_LIMITS.functionName.value - 1}}$`, "i");

/** Azure runs none of these functions. Throws one error that names them all. */
export function checkNames(names: readonly string[]): void {
  const faults = names.flatMap((name, index) => {
    if (!FUNCTION_NAME.test(name)) {
      return `"${name}" is not a name of a function: a letter, then up to 127 letters, digits, - and _, and not "host"`;
    }
    const isTaken = names.findIndex((other) => other.toLowerCase() === name.toLowerCase()) < index;
    return isTaken ? `"${name}" differs from the name of another function only in case` : [];
  });
  if (faults.length > 0) throw new Error(`Azure refuses these functions:\n  ${faults.join("\n  ")}`);
}
