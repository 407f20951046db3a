// `npm run orders` as somebody types it, in a process of its own. A host like Azure's asks for a key; a usual local one ignores it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { FUNCTION_KEY } from "@scheduler-agent-supervisor/local";
import { ROOT } from "../../cli/settings.ts";

export interface Typed {
  readonly code: number | null;
  /** Of both streams. */
  readonly output: string;
}

/** @param args with `--app` or `--data` among them */
export async function typedOrders(args: readonly string[], cwd?: string): Promise<Typed> {
  const command = ["-C", "sources", join(ROOT, "cli/orders.ts"), ...args, "--key", FUNCTION_KEY];
  const child = spawn(process.execPath, command, { cwd });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}
