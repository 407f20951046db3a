// A folder of which some above may be missing too.
import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Not by mkdir's own `recursive`: seen with Node 24, it never returns where the system takes no new folder, as below /proc.
 * @throws with the folder that could not be made
 */
export function makeFolder(folder: string): void {
  const path = resolve(folder);
  const present = statSync(path, { throwIfNoEntry: false });
  if (present?.isDirectory()) return;
  if (present) throw new Error(`${path} is a file, and a folder is needed.`);
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (cause) {
    // Another process may have made it meanwhile.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
    throw new Error(`The folder ${path} cannot be made${code}.`, { cause });
  }
}
