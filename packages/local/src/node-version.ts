// The first import of each command: on a Node that is too old it ends with a clear error, before anything else is loaded.
import { readFileSync } from "node:fs";

interface Manifest {
  readonly engines: { readonly node: string };
}

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as Manifest;
const fault = versionFault(process.versions.node, manifest.engines.node.replace(">=", ""));
if (fault !== undefined) {
  console.error(`${fault} It runs from ${process.execPath}.`);
  process.exit(1);
}

export function versionFault(present: string, least: string): string | undefined {
  const isOld = present.localeCompare(least, "en", { numeric: true }) < 0;
  return isOld
    ? `This is Node ${present}, and Node ${least} or newer is needed: install it from https://nodejs.org.`
    : undefined;
}
