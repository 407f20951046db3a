// What a fault run changes of an app's times: what has died is found within seconds. Nothing else of the app is another.
import { readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { PROBE_DIR } from "./probe-point.ts";

/** Compiled, as the host loads it, also for a program that is not. */
const REGISTER = new URL(
  extname(import.meta.filename) === ".ts" ? "../../dist/faults/register.js" : "./register.js",
  import.meta.url,
).href;

/** @param folder where the points are noted and armed */
export function probeSettings(folder: string): Record<string, string> {
  const { NODE_OPTIONS: own = "" } = process.env;
  return {
    [PROBE_DIR]: folder,
    NODE_OPTIONS: `${own} --import=${REGISTER}`.trim(),
    // A host starts in half the time.
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(folder, "compiled"),
    SupervisorSchedule: "* * * * * *",
    StartWithin: "PT3S",
    HousekeepingSchedule: "*/3 * * * * *",
  };
}

interface Entities {
  readonly queues: readonly { readonly name: string; readonly properties?: Readonly<Record<string, unknown>> }[];
}

/**
 * The app's queues with a message lock that is worth waiting for: what a dead receiver held comes back when its lock ends.
 * @param queuesFile the app's own
 * @param lockDuration ISO 8601
 * @returns the file, in `folder`
 */
export function shortLocks(queuesFile: string, folder: string, lockDuration = "PT2S"): string {
  const { queues, ...rest } = JSON.parse(readFileSync(queuesFile, "utf8")) as Entities;
  const short = queues.map((queue) => ({ ...queue, properties: { ...queue.properties, lockDuration } }));
  const file = join(folder, "service-bus.json");
  writeFileSync(file, JSON.stringify({ ...rest, queues: short }));
  return file;
}
