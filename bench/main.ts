// `npm run bench`: how many orders a second, how fast, and at what cost, on the local stack in durable mode, beside the SDK floor.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { choiceOf, numberOf, readArguments, runCommand } from "../cli/every-app/arguments.ts";
import { ROOT } from "../cli/settings.ts";
import { topologyOf } from "../cli/start/topology.ts";
import { adaptApp } from "../tests/support/adapted-app.ts";
import { CHAIN, GRAPH, THREE_STEPS } from "../tests/support/orders.ts";
import { type BadRequest, badRequestTable, measureBadRequests } from "./bad-requests.ts";
import { startBenchStack } from "./bench-stack.ts";
import { measureDiskFloor } from "./disk-floor.ts";
import { type Plan, runPhases, STATUSES } from "./phases.ts";
import { type Past, plant } from "./plant.ts";
import { measureRecovery, type Recovery, recoveryTable } from "./recovery.ts";
import { type Phase, pastTable, phaseTable } from "./report.ts";

const USAGE = `npm run bench
  --orders N           how many in the burst (2000)
  --repeat N           how often a burst is measured, beside the SDK floor each time (3)
  --rate R             orders a second in the steady phase (50)
  --seconds S          how long the steady phase is (20)
  --statuses WHICH     all (usual): a client gets 6 of each order; end: 1
  --durability LEVEL   full (usual): flush to disk at every commit; normal
  --topology T         single (usual): one process runs all functions; flex: each group of functions has its own
  --instances G=N,…    how many processes a group has with --topology flex (1 each)
  --past               all again with 100,000 ended and 5,000 failed orders stored
  --recovery           only this: kill -9 of the host with 1,000 orders in flight
  --whole              bursts of 500, 2000 and 8000, 20,000 orders on one stack, --recovery and --past:
                       about half an hour`;
const BURSTS = [500, 2000, 8000];
const MANY = 20_000;
const PAST: Past = { ended: 100_000, failed: 5000 };
const IN_FLIGHT = 1000;
const HUB = "JobScheduler";

await runCommand(async () => {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values } = readArguments(
    {
      ...{ orders: text, repeat: text, rate: text, seconds: text, statuses: text, durability: text },
      ...{ topology: text, instances: text },
      ...{ past: flag, recovery: flag, whole: flag },
    },
    USAGE,
  );
  const isWhole = values["whole"] === true;
  const rate = numberOf(values, "rate", 1, 10_000) ?? 50;
  const plan: Plan = {
    bursts: isWhole ? BURSTS : [numberOf(values, "orders", 1, 1_000_000) ?? 2000],
    repeat: numberOf(values, "repeat", 1, 100) ?? 3,
    rate,
    steady: Math.round(rate * (numberOf(values, "seconds", 1, 3600) ?? 20)),
    statuses: choiceOf(values, "statuses", STATUSES),
    many: isWhole ? MANY : undefined,
    inFlight: isWhole || values["recovery"] === true ? IN_FLIGHT : undefined,
    phases: values["recovery"] !== true,
  };
  const options: Options = {
    durability: values["durability"] === "normal" ? "normal" : "full",
    ...topologyOf(values),
  };

  const results: Result[] = [];
  for (const past of isWhole || values["past"] === true ? [undefined, PAST] : [undefined]) {
    if (past) console.log(`with ${past.ended} ended and ${past.failed} failed orders stored`);
    results.push(await runOnStack(plan, options, past));
  }
  const [fresh, filled] = results;
  if (fresh && filled && plan.phases)
    console.log(`with the past over without it\n${pastTable(fresh.phases, filled.phases)}`);
  keep({ at: new Date().toISOString(), ...options, node: process.version, plan, results });
  const failed = results.some(
    ({ phases, recovery }) => recovery?.failed || phases.some(({ runs }) => runs.some((run) => run.failed > 0)),
  );
  return failed ? 1 : 0;
});

type Options = ReturnType<typeof topologyOf> & { readonly durability: "full" | "normal" };

interface Result {
  readonly past: Past | undefined;
  readonly phases: readonly Phase[];
  readonly bad: readonly BadRequest[];
  readonly recovery: Recovery | undefined;
}

async function runOnStack(plan: Plan, options: Options, past: Past | undefined): Promise<Result> {
  // Beside the state of npm start: the same disk.
  mkdirSync(join(ROOT, ".local"), { recursive: true });
  const data = temporaryFolder("bench-", join(ROOT, ".local"));
  const adapted = adaptApp([THREE_STEPS, CHAIN, GRAPH]);
  try {
    const disk = await measureDiskFloor(data, options.durability);
    if (past) await plant(data, past, HUB);
    const stack = await startBenchStack(adapted.dir, data, options);
    try {
      const phases = plan.phases ? await runPhases(stack, plan) : [];
      if (plan.phases) console.log(phaseTable(phases, disk));
      const bad = plan.phases ? await measureBadRequests(stack) : [];
      if (plan.phases) console.log(badRequestTable(bad));
      const load = { workflow: THREE_STEPS.name, statuses: plan.statuses };
      const recovery = plan.inFlight === undefined ? undefined : await measureRecovery(stack, plan.inFlight, load);
      if (recovery) console.log(recoveryTable(recovery));
      return { past, phases, bad, recovery };
    } finally {
      await stack.stop();
    }
  } finally {
    adapted[Symbol.dispose]();
    rmSync(data, { recursive: true, force: true });
  }
}

function keep(result: { readonly at: string; readonly [name: string]: unknown }): void {
  const folder = join(ROOT, "bench", "results");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${result.at.replaceAll(/[:.]/g, "-")}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  console.log(`kept in bench/results/`);
}
