// This app on the local stack, and the SDK floor beside it, measured as the others are.
import { mkdirSync } from "node:fs";
import type { Stack } from "@scheduler-agent-supervisor/local/stack/stack";
import { settingsFor } from "../../cli/settings.ts";
import { adaptApp } from "../../tests/support/adapted-app.ts";
import { THREE_STEPS } from "../../tests/support/orders.ts";
import { startBenchStack } from "../bench-stack.ts";
import { type FloorProcess, startFloor } from "../floor-process.ts";
import { runLoad } from "../load.ts";
import { cpuMsOfTree } from "../measure.ts";
import type { Variant } from "./engines.ts";
import { type Load, type Measured, type RunningTarget, resultOf } from "./target.ts";

export async function startOurs(data: string): Promise<RunningTarget> {
  mkdirSync(data, { recursive: true });
  const adapted = adaptApp([THREE_STEPS]);
  try {
    const stack = await startBenchStack(adapted.dir, data, { durability: "full" });
    const floor = await startFloor(stack, "end", "sdk").catch(async (cause) => {
      await stack.stop();
      throw cause;
    });
    return {
      versions: [`Node.js ${process.version}`],
      measure: (variant, load) => measure(stack, floor, variant, load),
      async stop() {
        await floor.stop();
        await stack.stop();
        adapted[Symbol.dispose]();
      },
    };
  } catch (cause) {
    adapted[Symbol.dispose]();
    throw cause;
  }
}

async function measure(stack: Stack, floor: FloorProcess, variant: Variant, { orders, rate }: Load): Promise<Measured> {
  const isFloor = variant.kind === "floor";
  const workflow = THREE_STEPS.name;
  const settings = settingsFor(stack.addresses);
  // The host is idle while the floor works, and the other way round; the services are nobody's.
  const [idle, working] = isFloor ? ["host", [floor.pid]] : ["", []];
  const own = stack.processes.filter(({ name }) => name !== "remotes" && name !== idle).map(({ pid }) => pid);
  const cpuMs = () => [...own, ...working].reduce((sum, pid) => sum + cpuMsOfTree(pid), 0);
  const before = cpuMs();
  const statuses = variant.statusWrites ? "all" : "end";
  const load = { orders, rate, workflow, statuses, ...(isFloor && { queue: floor.queue }) } as const;
  const result = await Promise.race([runLoad(settings, load, () => {}), floor.failed]);
  return resultOf({ ...result, cpuMs: cpuMs() - before });
}
