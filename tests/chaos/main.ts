// A random walk of the whole stack, for as long as one likes.
import { styleText } from "node:util";
import { TOPOLOGIES } from "@scheduler-agent-supervisor/local";
import { build } from "../../cli/build.ts";
import { choiceOf, numberOf, readArguments, runCommand } from "../../cli/every-app/arguments.ts";
import { runChaos } from "./chaos.ts";

const USAGE = `npm run node -- tests/chaos/main.ts [--seed S] [--minutes M] [--topology T]
  --seed S      what goes wrong when; a random one is chosen and printed
  --minutes M   how long (2)
  --topology T  single (usual): two hosts of one process each; flex: one host, with a process for each group of functions`;

await runCommand(async () => {
  const text = { type: "string" } as const;
  const { values } = readArguments({ seed: text, minutes: text, topology: text }, USAGE);
  const seed = numberOf(values, "seed", 0, 2 ** 31) ?? Date.now() % 1_000_000;
  const minutes = numberOf(values, "minutes", 0.1, 600) ?? 2;
  const topology = choiceOf(values, "topology", TOPOLOGIES);
  build();
  const again = `npm run node -- tests/chaos/main.ts --seed ${seed} --minutes ${minutes} --topology ${topology}`;
  console.log(`Seed ${seed}, ${minutes} minutes. The same again: ${again}`);
  const begun = performance.now();
  const say = (line: string) =>
    console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(7)} s  ${line}`);
  const { faults, states, ...figures } = await runChaos(seed, minutes, topology, say);
  console.log(`\n${figures.orders} orders, ${figures.attempts} attempts, ${figures.actions} faults injected`);
  for (const [state, count] of Object.entries(states)) console.log(`  ${state.padEnd(24)} ${count}`);
  if (faults.length === 0)
    console.log(styleText("green", "Every order ended, had each effect once, and its shop received true statuses."));
  for (const fault of faults) console.log(styleText("red", fault));
  return faults.length === 0 ? 0 : 1;
});
