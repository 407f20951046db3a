// The app's queues with a message lock that a test can wait for: what a dead receiver held comes back when its lock ends.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../cli/settings.ts";

interface Entities {
  readonly queues: readonly { readonly name: string; readonly properties: Readonly<Record<string, unknown>> }[];
}

/** @returns the file, in `folder`. */
export function shortLocks(folder: string, lockDuration = "PT2S"): string {
  const { queues } = JSON.parse(readFileSync(join(ROOT, "infra/entities/service-bus.json"), "utf8")) as Entities;
  const short = queues.map((queue) => ({ ...queue, properties: { ...queue.properties, lockDuration } }));
  const file = join(folder, "service-bus.json");
  writeFileSync(file, JSON.stringify({ queues: short }));
  return file;
}
