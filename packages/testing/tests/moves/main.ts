// One random run with all that happens in it, or many.
import { parseArgs } from "node:util";
import { randomRun, runsFrom } from "./random-run.ts";

const USAGE = `npm run node -- packages/testing/tests/moves/main.ts [--lists]
      --seed S            one run: its workflow, each move, each write, and what
                          is wrong
      --from S --runs N   N runs from that seed on: what is wrong, and how to
                          see it
  Random runs in memory, with pauses, outages, moved clocks and operators'
  actions. The same seed is the same run.
  --lists   with lists: another run than that of the seed without`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const { values } = parseArgs({ options: { seed: text, from: text, runs: text, lists: flag, help: flag } });
const { seed, from, runs, lists: hasLists = false } = values;
if (values.help) {
  console.log(USAGE);
} else if (seed !== undefined) {
  const { faults, trace, record } = await randomRun(Number(seed), { hasLists });
  console.log([...trace, `${record?.processState}: ${JSON.stringify(record?.error)}`].join("\n"));
  console.log(faults.length > 0 ? `Wrong: ${faults.join("\n       ")}` : "Nothing is wrong.");
  process.exitCode = Math.min(faults.length, 1);
} else if (from !== undefined && runs !== undefined) {
  const found = await runsFrom(Number(from), Number(runs), { hasLists });
  console.log([...found, `${runs} runs, ${found.length} with something wrong`].join("\n"));
  process.exitCode = Math.min(found.length, 1);
} else {
  console.log(USAGE);
}
