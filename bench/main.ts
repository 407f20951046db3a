// `npm run bench`: how many orders a second, how fast, and at what cost, on the local stack in durable mode.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Stack, startStack } from "@scheduler-agent-supervisor/local/stack/stack";
import { numberOf, readArguments, runCommand } from "../cli/arguments.ts";
import { ROOT, settingsFor } from "../cli/settings.ts";
import { adaptApp } from "../tests/support/adapted-app.ts";
import { CHAIN, GRAPH, THREE_STEPS } from "../tests/support/orders.ts";
import { type Floor, measureFloor } from "./floor.ts";
import { runLoad } from "./load.ts";
import { measure } from "./measure.ts";
import { type Phase, phaseOf, phaseTable } from "./report.ts";

const USAGE = `npm run bench
  --orders N           how many in the burst (2000)
  --rate R             orders a second in the steady phase (50)
  --seconds S          how long the steady phase is (20)
  --durability LEVEL   full (usual): flush to disk at every commit; normal`;
const WARM_UP_ORDERS = 500;
/** A graph of five, with two side by side; beside it one step after the other. */
const FIVE_STEPS = "order-fulfilment";

await runCommand(async () => {
  const text = { type: "string" } as const;
  const { values } = readArguments(
    { orders: text, rate: text, seconds: text, durability: text, help: { type: "boolean" } },
    USAGE,
  );
  if (values["help"]) {
    console.log(USAGE);
    return 0;
  }
  const orders = numberOf(values, "orders", 1, 1_000_000) ?? 2000;
  const rate = numberOf(values, "rate", 1, 10_000) ?? 50;
  const steady = Math.round(rate * (numberOf(values, "seconds", 1, 3600) ?? 20));
  const durability = values["durability"] === "normal" ? "normal" : "full";

  // Beside the state of npm start: the same disk.
  mkdirSync(join(ROOT, ".local"), { recursive: true });
  const data = mkdtempSync(join(ROOT, ".local", "bench-"));
  try {
    const floor = await measureFloor(data, durability);
    using adapted = adaptApp([THREE_STEPS, CHAIN, GRAPH]);
    const stack = await startStack({
      appDir: adapted.dir,
      data,
      ports: "free",
      durability,
      settingsFor,
      queuesFile: join(ROOT, "infra/entities/service-bus.json"),
      cosmosFile: join(ROOT, "infra/entities/cosmos.json"),
      remotesFile: join(ROOT, "samples/remotes.json"),
    });
    try {
      const run = (name: string, count: number, perSecond: number | undefined, workflow: string) =>
        runPhase(name, stack, count, perSecond, workflow, floor);
      await run("warm-up", WARM_UP_ORDERS, undefined, THREE_STEPS.name);
      const phases = [
        await run(`three steps, ${rate}/s for ${steady / rate} s`, steady, rate, THREE_STEPS.name),
        await run(`three steps, burst of ${orders}`, orders, undefined, THREE_STEPS.name),
        await run(`five steps, burst of ${orders}`, orders, undefined, FIVE_STEPS),
      ];
      console.log(phaseTable(phases, floor));
      keep({ at: new Date().toISOString(), durability, node: process.version, floor, phases });
      return phases.some(({ failed }) => failed > 0) ? 1 : 0;
    } finally {
      await stack.stop();
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});

async function runPhase(
  name: string,
  stack: Stack,
  orders: number,
  rate: number | undefined,
  workflow: string,
  floor: Floor,
): Promise<Phase> {
  console.log(`${name} …`);
  const before = await measure(stack);
  const load = await runLoad(settingsFor(stack.addresses), orders, rate, workflow, (sent, ended) =>
    console.log(`  ${sent} sent, ${ended} ended of ${orders}`),
  );
  return phaseOf(name, load, before, await measure(stack), floor);
}

function keep(result: { readonly at: string; readonly [name: string]: unknown }): void {
  const folder = join(ROOT, "bench", "results");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${result.at.replaceAll(/[:.]/g, "-")}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  console.log(`kept in bench/results/`);
}
