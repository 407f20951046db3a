// Finds a Functions host that was built from Microsoft's sources: its program, its extensions, and the scripts that run an app on it.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

export interface HostFolder {
  /** Has `host/` and `ext/`. */
  readonly dir: string;
  /** `make-app.sh PACKAGE APP`: makes of a packed app one that this host takes. */
  readonly makeApp: string;
  /** `run.sh APP --port N --env FILE --node PATH --data DIR [--quiet]`: runs the host in the foreground. */
  readonly run: string;
}

export type FoundHost =
  | { readonly kind: "found"; readonly host: HostFolder }
  | { readonly kind: "missing"; readonly reason: string };

const PROGRAM = join("host", "Microsoft.Azure.WebJobs.Script.WebHost.dll");
const EXTENSIONS = join("ext", "extensions.json");

/** @param kit the folder of the two scripts; `dir` if absent */
export function findHost(dir: string | undefined, kit: string | undefined): FoundHost {
  if (dir === undefined) return { kind: "missing", reason: "no --host DIR was given" };
  const host = { dir: resolve(dir), ...scriptsIn(resolve(kit ?? dir)) };
  const needed = [join(host.dir, PROGRAM), join(host.dir, EXTENSIONS), host.makeApp, host.run];
  const lacking = needed.filter((file) => !existsSync(file));
  if (lacking.length > 0) return { kind: "missing", reason: `there is no ${lacking.join(", no ")}` };
  return { kind: "found", host };
}

function scriptsIn(kit: string): Pick<HostFolder, "makeApp" | "run"> {
  return { makeApp: join(kit, "make-app.sh"), run: join(kit, "run.sh") };
}
