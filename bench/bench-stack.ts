// The local stack that is measured: the app's own entities, and a queue for each SDK floor.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Stack, type StackOptions, startStack } from "@scheduler-agent-supervisor/local";
import { QUEUES_FILE, ROOT, settingsFor } from "../cli/settings.ts";
import { FLOOR_CLIENTS, floorQueue } from "./order-requests.ts";

/** What the simulated services offer, to every engine. */
const REMOTES_FILE = join(ROOT, "samples/remotes.ts");

/** @param data an empty folder */
export function startBenchStack(
  appDir: string,
  data: string,
  options: Pick<StackOptions, "durability" | "topology" | "instanceCounts">,
): Promise<Stack> {
  return startStack({
    appDir,
    data,
    ports: "free",
    ...options,
    settingsFor,
    queuesFile: queuesWithFloor(data),
    cosmosFile: join(ROOT, "infra/entities/cosmos.json"),
    remotesFile: REMOTES_FILE,
  });
}

function queuesWithFloor(data: string): string {
  const entities = JSON.parse(readFileSync(QUEUES_FILE, "utf8")) as { readonly queues: readonly { name: string }[] };
  const orders = entities.queues.find(({ name }) => name === "jobs");
  const floors = FLOOR_CLIENTS.map((client) => ({ ...orders, name: floorQueue(client) }));
  const file = join(data, "service-bus.json");
  writeFileSync(file, JSON.stringify({ ...entities, queues: [...entities.queues, ...floors] }));
  return file;
}
