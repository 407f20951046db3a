// Holds the local stack against clients and suites that others wrote, and writes docs/reference/conformance.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "../../cli/build.ts";
import { readArguments, runCommand, UsageError } from "../../cli/every-app/arguments.ts";
import { runBusClient, runCosmosClient } from "./clients.ts";
import { runDurableSamples } from "./durable-samples.ts";
import { type Environment, runCosmosSuite, runServiceBusSuite } from "./javascript/suites.ts";
import { type Outcome, refusalOf, type SuiteRun } from "./outcome.ts";
import { runOwnSuite } from "./own-suites.ts";
import { pageOf, RESULTS, readRuns, SUITES, type SuiteName } from "./page.ts";

const USAGE = `npm run node -- tests/conformance/main.ts [OPTIONS]
  --sources DIR    a folder with clones of the suites' repositories: azure-sdk-for-js, azure-functions-durable-js (../sources)
  --only NAME,…    of ${Object.keys(SUITES).join(", ")}
  --page           only write the page anew, from the results of the last runs
Python's clients run with the interpreter that PYTHON names (python3), .NET's with the dotnet command; the ports 5671 and 8081
have to be free.`;

type Ran = SuiteRun | { readonly missing: string };

const RUNS: Readonly<Record<SuiteName, (environment: Environment) => Ran | Promise<Ran>>> = {
  "cosmos-js": runCosmosSuite,
  "cosmos-python": () => runCosmosClient("azure-cosmos (Python)"),
  "cosmos-dotnet": () => runCosmosClient("Microsoft.Azure.Cosmos (.NET)"),
  "service-bus-js": (environment) => runServiceBusSuite(environment, "public"),
  "service-bus-js-internal": (environment) => runServiceBusSuite(environment, "internal"),
  "service-bus-python": () => runBusClient("azure-servicebus (Python)"),
  proton: () => runBusClient("python-qpid-proton"),
  "durable-samples": ({ sources }) => runDurableSamples(sources),
  "real-host": () => runOwnSuite("Microsoft's host", "usual", ["packages/local/src/host/conformance"]),
  fuzz: () =>
    runOwnSuite("changed bytes", "long", [
      "packages/local/src/bus/tests/bus-frames.long.test.ts",
      "packages/local/src/cosmos/tests/fuzz.long.test.ts",
    ]),
};

await runCommand(async () => {
  const text = { type: "string" } as const;
  const { values } = readArguments({ sources: text, only: text, page: { type: "boolean" } }, USAGE);
  const names = (values["only"]?.toString().split(",") ?? Object.keys(SUITES)) as SuiteName[];
  const unknown = names.filter((name) => !(name in SUITES));
  if (unknown.length > 0) throw new UsageError(`no such suite: ${unknown.join(", ")}\n\n${USAGE}`);
  if (!values["page"]) {
    build();
    for (const name of names) await runOne(name, resolve(String(values["sources"] ?? "../sources")));
  }
  writeFileSync(join(import.meta.dirname, "../../docs/reference/conformance.md"), pageOf(readRuns()));
  return 0;
});

async function runOne(name: SuiteName, sources: string): Promise<void> {
  const say = (line: string) => console.log(`${name}: ${line}`);
  const run = await RUNS[name]({ sources, say });
  if ("missing" in run) {
    say(`not run: ${run.missing}`);
    return;
  }
  const counts = Object.entries(Object.groupBy(run.tests, ({ outcome }) => outcome));
  say(counts.map(([outcome, tests]) => `${tests?.length} ${outcome}`).join(", "));
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(condensed(run), null, 2)}\n`);
}

/** As much as the page shows: of what passed and what the suite skips, how many; of what is refused, what the answers name. */
function condensed({ tests, ...run }: SuiteRun): object {
  const files = Object.entries(Object.groupBy(tests, ({ file }) => file)).map(([file, of = []]) => {
    const those = (wanted: Outcome) => of.filter(({ outcome }) => outcome === wanted);
    const named = Object.entries(Object.groupBy(those("refused"), ({ error = "" }) => refusalOf(error)));
    return {
      file,
      passed: those("passed").length,
      skipped: those("skipped").length,
      refused: Object.fromEntries(named.map(([what, of = []]) => [what, of.length])),
      failed: those("failed").map(({ name, error }) => ({ name, error })),
    };
  });
  return { ...run, files };
}
