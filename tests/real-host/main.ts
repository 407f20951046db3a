// Runs the packed app on a real Functions host and on the project's own, and compares what comes of it.
import { styleText } from "node:util";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { build } from "../../cli/build.ts";
import { numberOf, readArguments, runCommand, UsageError, type Values } from "../../cli/every-app/arguments.ts";
import { ROOT } from "../../cli/settings.ts";
import { type Burst, runBurst } from "./burst.ts";
import { Listener, runFigures } from "./figures.ts";
import { findHost, type HostFolder } from "./host-folder.ts";
import {
  HOW_ENDED,
  type HostKind,
  type HostStart,
  realHostStart,
  startLocalHost,
  type Victim,
} from "./host-under-test.ts";
import { type KillResult, runKill } from "./kills.ts";
import { openProject, type Project, packFor } from "./project.ts";
import { engineTables, faultsOf, type HostReport, type Report, reportTable } from "./report.ts";
import { runSamples } from "./samples.ts";
import { endAll, startSetup } from "./setup.ts";
import { runSlow } from "./slow.ts";

const PHASES = ["samples", "burst", "slow", "kills", "figures"] as const;
type Phase = (typeof PHASES)[number];
const VICTIMS: Readonly<Record<HostKind, readonly Victim[]>> = {
  real: ["host", "worker", "both", "drained"],
  local: ["both", "drained"],
};

const USAGE = `npm run node -- tests/real-host/main.ts --host DIR [OPTIONS]
  --host DIR      a Functions host built from Microsoft's sources: host/, ext/, make-app.sh and run.sh. Without it nothing is done
  --kit DIR       where make-app.sh and run.sh are, if not in the host's folder
  --app DIR       the checkout of this project whose app, local stack and samples are taken (this one)
  --only LIST     some of ${PHASES.join(",")}, with commas (all)
  --burst N       how many orders each burst has (600)
  --within S      how long each burst, the samples and each kill may take (600)
  --no-local      leave out the same on the project's own host
  --json          print one line of JSON at the end`;

interface Wanted {
  readonly phases: readonly Phase[];
  readonly orders: number;
  readonly withinMs: number;
}

await runCommand(async () => {
  const [text, flag] = [{ type: "string" }, { type: "boolean" }] as const;
  const { values } = readArguments(
    {
      host: text,
      kit: text,
      app: text,
      only: text,
      burst: text,
      within: text,
      "no-local": flag,
      json: flag,
    },
    USAGE,
  );
  const wanted = wantedOf(values);
  const found = findHost(textOf(values, "host"), textOf(values, "kit"));
  if (found.kind === "missing") {
    console.log(`Skipped: there is no real Functions host to compare with (${found.reason}).`);
    return 0;
  }
  build();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void endAll().then(() => process.exit(130)));
  const report = await compare(found.host, textOf(values, "app") ?? ROOT, wanted, values["no-local"] !== true);
  console.log(reportTable(report));
  const faults = faultsOf(report);
  for (const fault of faults) console.log(styleText("red", fault));
  if (faults.length === 0) console.log(styleText("green", "Everything ended as it has to."));
  if (values["json"]) console.log(JSON.stringify({ ...report, faults }));
  return faults.length === 0 ? 0 : 1;
});

function wantedOf(values: Values): Wanted {
  const named = textOf(values, "only")?.split(",") ?? PHASES;
  const phases = PHASES.filter((phase) => named.includes(phase));
  if (phases.length !== named.length) throw new UsageError(`--only takes some of ${PHASES.join(",")}\n\n${USAGE}`);
  return {
    phases,
    orders: numberOf(values, "burst", 1, 100_000) ?? 600,
    withinMs: (numberOf(values, "within", 1, 36_000) ?? 600) * 1000,
  };
}

function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

async function compare(folder: HostFolder, appDir: string, wanted: Wanted, local: boolean): Promise<Report> {
  const project = await openProject(appDir);
  const packed = temporaryFolder("real-host-app-");
  console.log(`Packing the app of ${project.dir}`);
  const app = packFor(folder, project, packed);
  const real = await runPhases("real", project, realHostStart(folder, app), wanted);
  return { real, ...(local && { local: await runPhases("local", project, startLocalHost, wanted) }) };
}

/** Each phase has a setup of its own, so that none meets what another has left in queues and tables. */
async function runPhases(kind: HostKind, project: Project, startHost: HostStart, wanted: Wanted): Promise<HostReport> {
  const { phases, orders, withinMs } = wanted;
  const report: HostReport = {};
  const begun = performance.now();
  const say = (line: string) =>
    console.log(`${((performance.now() - begun) / 1000).toFixed(0).padStart(5)} s  ${kind} host: ${line}`);
  if (phases.includes("samples")) {
    say("the samples");
    await using setup = await startSetup({ project, startHost });
    report.samples = await runSamples(setup, withinMs);
  }
  if (phases.includes("burst")) {
    say(`a burst of ${orders} orders`);
    await using setup = await startSetup({ project, startHost });
    report.burst = withoutRecords(await runBurst(setup, orders, { withinMs, say }));
  }
  if (phases.includes("slow")) {
    say(`a burst of ${orders} orders, with a tenth of the processor time`);
    await using setup = await startSetup({ project, startHost });
    report.slow = await runSlow(setup, orders, { withinMs, say });
  }
  if (phases.includes("kills")) {
    const kills: KillResult[] = [];
    for (const victim of VICTIMS[kind]) {
      say(HOW_ENDED[victim]);
      await using setup = await startSetup({ project, startHost });
      kills.push(await runKill(setup, victim, withinMs, say));
    }
    report.kills = kills;
  }
  if (phases.includes("figures")) {
    say("figures");
    const listener = new Listener();
    await using setup = await startSetup({ project, startHost, ...listener });
    report.figures = await runFigures(setup, listener, withinMs, say);
    if (report.figures.activities.length > 0) console.log(engineTables(report.figures));
  }
  return report;
}

function withoutRecords({ records: _, ...burst }: Burst): Omit<Burst, "records"> {
  return burst;
}
