// The samples of durable-functions for JavaScript: each is started on the local host as it is, and has to end as it says.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Stack, startStack } from "@scheduler-agent-supervisor/local";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { outcomeOf, type SuiteRun, type TestOutcome } from "./outcome.ts";
import { findCommit, install, layOut, type Source, today } from "./sources.ts";

const SOURCE: Source = {
  repository: "azure-functions-durable-js",
  folder: "samples-js",
  paths: ["functions", "host.json"],
};
const NAME = "durable-functions' samples";
/** One sample counts to ten in half a minute each. */
const LIMIT_MS = 400_000;

interface Sample {
  readonly name: string;
  readonly input?: unknown;
  readonly output?: unknown;
}

const SAMPLES: readonly Sample[] = [
  { name: "helloSequence", output: ["Hello Tokyo", "Hello Seattle", "Hello Cairo"] },
  { name: "callActivityWithRetry" },
  { name: "callSubOrchestratorWithRetry" },
  { name: "cancelTimer", output: "Hello from the other side" },
  { name: "continueAsNewCounter", input: 0, output: 10 },
  // It asks Azure itself for its subscriptions, with a managed identity's token.
  { name: "listAzureSubscriptions" },
];
/** Files of which this host refuses something by name: the app does not start with them. */
const REFUSED = ["backupSiteContent", "counter", "smsPhoneVerification", "weatherMonitor"];

export async function runDurableSamples(sources: string): Promise<SuiteRun | { missing: string }> {
  const found = findCommit(sources, SOURCE);
  if ("missing" in found) return found;
  const place = layOut(sources, SOURCE, "durable-js");
  // durable-functions itself is the one that the app is tested with, found in the folder above.
  const begin = (files: string) =>
    writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, main: `functions/${files}.js` }));
  begin("*");
  install(place, ["luxon@3.2.1", "readdirp@3.6.0"]);
  const tests: TestOutcome[] = [];
  for (const name of REFUSED) {
    begin(name);
    tests.push({ file: "samples-js", name, ...outcomeOf(await startAlone(place)) });
    rmSync(join(place, "functions", `${name}.js`));
  }
  begin("*");
  tests.push(...(await runSamples(place)));
  const library = createRequire(import.meta.url).resolve("durable-functions/package.json");
  const { version } = JSON.parse(readFileSync(library, "utf8")) as { version: string };
  const versions = { "durable-functions": version, [`Azure/${SOURCE.repository}`]: found.commit };
  return { suite: NAME, on: today(), versions, tests };
}

/** What is said of an app that does not start. */
async function startAlone(place: string): Promise<string | undefined> {
  const data = temporaryFolder("durable-samples-");
  try {
    return await faultOf(async () => (await start(place, data)).stop());
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

async function runSamples(place: string): Promise<TestOutcome[]> {
  const data = temporaryFolder("durable-samples-");
  const tests: TestOutcome[] = [];
  const add = (name: string, error: string | undefined) =>
    tests.push({ file: "samples-js", name, ...outcomeOf(error) });
  try {
    const stack = await start(place, data);
    // The longest waits for timers alone, so the others run beside it.
    await Promise.all(SAMPLES.map(async (sample) => add(sample.name, await faultOf(() => runSample(stack, sample)))));
    await stack.stop();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
  return tests.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function start(appDir: string, data: string): Promise<Stack> {
  return startStack({ appDir, data, ports: "free", parts: [], settingsFor: () => ({}) });
}

async function faultOf(run: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

interface Status {
  readonly runtimeStatus: string;
  readonly output: unknown;
}

interface Started {
  readonly statusQueryGetUri: string;
}

async function runSample(stack: Stack, { name, input = "x", output }: Sample): Promise<void> {
  const { statusQueryGetUri } = await startSample(stack, name, input);
  await end(statusQueryGetUri, output);
}

async function startSample({ addresses }: Stack, name: string, input: unknown): Promise<Started> {
  const url = `${addresses.host?.url}/api/orchestrators/${name}`;
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(input) });
  return (await answer.json()) as Started;
}

async function end(statusQueryGetUri: string, output: unknown): Promise<void> {
  const giveUpAt = Date.now() + LIMIT_MS;
  let status: Status;
  do {
    await sleep(200);
    status = (await (await fetch(statusQueryGetUri)).json()) as Status;
  } while (["Pending", "Running"].includes(status.runtimeStatus) && Date.now() < giveUpAt);
  if (status.runtimeStatus !== "Completed")
    throw new Error(`${status.runtimeStatus}: ${JSON.stringify(status.output)}`);
  if (output !== undefined && JSON.stringify(status.output) !== JSON.stringify(output))
    throw new Error(`its output is ${JSON.stringify(status.output)}`);
}
