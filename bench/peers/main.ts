// `npm start` in bench/peers: this app and other engines in one run, with the same calls and the same durability.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import { numberOf, readArguments, runCommand, UsageError, type Values } from "../../cli/every-app/arguments.ts";
import { ROOT } from "../../cli/settings.ts";
import { ENGINES, type EngineName } from "./engines.ts";
import { type Plan, runRounds } from "./rounds.ts";
import { placeTable, tableOf } from "./table.ts";

const USAGE = `npm start --prefix bench/peers --
  --rounds N       how often each engine is measured, in another order each time (3)
  --orders N       how many in a burst (2000)
  --rate R         orders a second in the steady phase (50)
  --seconds S      how long the steady phase is (20)
  --warm-up N      how many orders before the first burst (500)
  --only E,…       only these of ${ENGINES.join(", ")}
  --write          write the table into docs/explanation/performance.md: all engines, 3 rounds of 1000
                   orders or more, and an idle machine`;
const PAGE = join(ROOT, "docs/explanation/performance.md");
const LEAST = { rounds: 3, orders: 1000, seconds: 20 } as const;
/** Running processes for each processor, in the last minute. */
const IDLE_LOAD = 0.3;

await runCommand(async () => {
  const text = { type: "string" } as const;
  const { values } = readArguments(
    {
      ...{ rounds: text, orders: text, rate: text, seconds: text, "warm-up": text, only: text },
      write: { type: "boolean" },
    },
    USAGE,
  );
  if (process.platform !== "linux") throw new Error("bench/peers needs Linux: it reads CPU times from /proc");
  const plan = planOf(values);
  const load = loadavg()[0] ?? 0;
  if (values["write"] === true) checkWorthWriting(plan, load);
  const at = new Date().toISOString();
  const results = await runRounds(plan);
  const [cpu] = cpus();
  const provenance = {
    date: at.slice(0, 10),
    commit: commitOfTree(),
    machine: `${availableParallelism()} processors (${cpu?.model ?? "unknown"})`,
  };
  const table = tableOf(results, plan, provenance);
  console.log(`\n${table}`);
  keep(at, { at, ...provenance, load, plan, ...results });
  const failed = results.runs.some(({ burst, steady }) => burst.failed + steady.failed > 0);
  const isFault = failed || results.missing.some((each) => each.isFault);
  if (values["write"] === true && !isFault) writeFileSync(PAGE, placeTable(readFileSync(PAGE, "utf8"), table));
  if (values["write"] === true && isFault) console.error("not written: an engine or an order failed");
  return isFault ? 1 : 0;
});

function planOf(values: Values): Plan {
  const orders = numberOf(values, "orders", 1, 100_000) ?? 2000;
  return {
    engines: enginesOf(values["only"]),
    rounds: numberOf(values, "rounds", 1, 100) ?? 3,
    orders,
    rate: numberOf(values, "rate", 1, 1000) ?? 50,
    seconds: numberOf(values, "seconds", 1, 3600) ?? 20,
    warmUp: numberOf(values, "warm-up", 1, 100_000) ?? 500,
  };
}

function enginesOf(only: Values[string]): readonly EngineName[] {
  if (typeof only !== "string") return ENGINES;
  const names = only.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !ENGINES.some((engine) => engine === name));
  if (unknown.length > 0) throw new UsageError(`--only takes ${ENGINES.join(", ")}, and not ${unknown.join(", ")}`);
  return ENGINES.filter((engine) => names.includes(engine));
}

/** Numbers of a few orders or of a busy machine would stand there as if they compared something. */
function checkWorthWriting(plan: Plan, load: number): void {
  const faults = [
    ...(plan.engines.length < ENGINES.length ? ["--only leaves engines out"] : []),
    ...(["rounds", "orders", "seconds"] as const)
      .filter((name) => plan[name] < LEAST[name])
      .map((name) => `--${name} is ${plan[name]}, and must be ${LEAST[name]} or more`),
    ...(load > IDLE_LOAD * availableParallelism()
      ? [`the machine is busy: its load is ${load.toFixed(1)} on ${availableParallelism()} processors`]
      : []),
  ];
  if (faults.length > 0) throw new UsageError(`--write does not write this run: ${faults.join("; ")}`);
}

function commitOfTree(): string {
  const git = (...args: string[]) => spawnSync("git", args, { cwd: ROOT, encoding: "utf8" }).stdout?.trim() ?? "";
  const commit = git("rev-parse", "--short=8", "HEAD") || "unknown";
  return git("status", "--porcelain", "--untracked-files=no") === "" ? commit : `${commit} and changes`;
}

function keep(at: string, result: object): void {
  const folder = join(ROOT, "bench", "results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `peers-${at.replaceAll(/[:.]/g, "-")}.json`), `${JSON.stringify(result, null, 2)}\n`);
  console.log("kept in bench/results/");
}
