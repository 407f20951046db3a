// Starts the process of the SDK floor beside a stack, and ends it.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Stack } from "@scheduler-agent-supervisor/local";
import { type FloorClient, floorQueue } from "./order-requests.ts";
import type { FloorSettings } from "./sdk-floor.ts";

export interface FloorProcess {
  /** Where it gets its orders from. */
  readonly queue: string;
  readonly pid: number;
  /** Rejects when the process ends that nobody asked to end. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

export async function startFloor(
  { addresses }: Stack,
  statuses: FloorSettings["statuses"],
  client: FloorClient,
): Promise<FloorProcess> {
  const { bus, cosmos, remotes } = addresses;
  const settings: FloorSettings = {
    bus: bus?.connectionString ?? "",
    cosmos: cosmos?.connectionString ?? "",
    remotes: ["inventory", "payment", "shipping"].map((name) => remotes[name] ?? ""),
    statuses,
    client,
  };
  const child = fork(join(import.meta.dirname, "sdk-floor.ts"), [JSON.stringify(settings)]);
  const ended = once(child, "exit");
  const failed = ended.then(([code]) => Promise.reject(new Error(`the SDK floor ended with ${code}`)));
  failed.catch(() => undefined);
  await Promise.race([once(child, "message"), failed]);
  return {
    queue: floorQueue(client),
    pid: child.pid ?? 0,
    failed,
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
