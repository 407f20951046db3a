// How long the local host takes from the start of its process until it serves an app with all functions registered.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { startStack } from "@scheduler-agent-supervisor/local";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { ROOT, settingsFor } from "../settings.ts";

const TIMES = 7;

/** The median in milliseconds for each of `appDirs`, measured in turns on one stack, after one start that isn't counted. */
export async function measureColdStarts(appDirs: readonly string[]): Promise<number[]> {
  const data = temporaryFolder("cold-start-");
  const stack = await startStack({
    appDir: ROOT,
    data,
    ports: "free",
    host: false,
    queuesFile: join(ROOT, "infra/entities/service-bus.json"),
    cosmosFile: join(ROOT, "infra/entities/cosmos.json"),
    remotesFile: join(ROOT, "samples/remotes.ts"),
  });
  try {
    const settings = settingsFor(stack.addresses);
    const taken: number[][] = appDirs.map(() => []);
    for (let turn = 0; turn <= TIMES; turn += 1) {
      for (const [index, appDir] of appDirs.entries()) {
        const ms = await oneStart(appDir, data, settings);
        if (turn > 0) taken[index]?.push(ms);
      }
    }
    return taken.map(median);
  } finally {
    await stack.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

async function oneStart(appDir: string, data: string, settings: Record<string, string>): Promise<number> {
  let taken = Number.NaN;
  const onProgress = (_: string, ms: number) => {
    taken = ms;
  };
  const host = await startStack({ appDir, data, settings, onProgress, parts: [], ports: "free" });
  await host.stop();
  return taken;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
