// The samples of durable-functions for JavaScript: each is started on the local host as it is, and has to end as it says.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Stack, startStack } from "@scheduler-agent-supervisor/local/stack/stack";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/internal/faults/temporary-folder";
import { type FakeTwilio, startFakeTwilio } from "../support/fake-twilio.ts";
import { type FakeWeather, startFakeWeather } from "./fake-weather.ts";
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
  { name: "counterOrchestration" },
  { name: "continueAsNewCounter", input: 0, output: 10 },
  // It asks Azure itself for its subscriptions, with a managed identity's token.
  { name: "listAzureSubscriptions" },
];
/** Files whose functions this host refuses by name. */
const REFUSED = ["backupSiteContent"];
const SMS_VERIFICATION = "smsPhoneVerification";
const WEATHER_MONITOR = "weatherMonitor";

export async function runDurableSamples(sources: string): Promise<SuiteRun | { missing: string }> {
  const found = findCommit(sources, SOURCE);
  if ("missing" in found) return found;
  const place = layOut(sources, SOURCE, "durable-js");
  for (const name of REFUSED) rmSync(join(place, "functions", `${name}.js`));
  // durable-functions itself is the one that the app is tested with, found in the folder above.
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, main: "functions/*.js" }));
  install(place, ["luxon@3.2.1", "axios@1.6.8"]);
  const tests = await runSamples(place);
  const library = createRequire(import.meta.url).resolve("durable-functions/package.json");
  const { version } = JSON.parse(readFileSync(library, "utf8")) as { version: string };
  const versions = { "durable-functions": version, [`Azure/${SOURCE.repository}`]: found.commit };
  return { suite: NAME, on: today(), versions, tests };
}

async function runSamples(place: string): Promise<TestOutcome[]> {
  const data = temporaryFolder("durable-samples-");
  const tests: TestOutcome[] = [];
  const add = (name: string, error: string | undefined) =>
    tests.push({ file: "samples-js", name, ...outcomeOf(error) });
  const twilio = await startFakeTwilio();
  const weather = await startFakeWeather();
  try {
    const stack = await start(place, data, twilio, weather);
    // The longest waits for timers alone, so the others run beside it.
    await Promise.all([
      ...SAMPLES.map(async (sample) => add(sample.name, await faultOf(() => runSample(stack, sample)))),
      faultOf(() => verifyPhone(stack, twilio)).then((fault) => add(SMS_VERIFICATION, fault)),
      faultOf(() => monitorWeather(stack, twilio)).then((fault) => add(WEATHER_MONITOR, fault)),
    ]);
    await stack.stop();
  } finally {
    await weather.close();
    await twilio.close();
    rmSync(data, { recursive: true, force: true });
  }
  return tests.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function start(appDir: string, data: string, twilio: FakeTwilio, weather: FakeWeather): Promise<Stack> {
  return startStack({
    appDir,
    data,
    ports: "free",
    parts: [],
    settingsFor: () => ({
      TwilioAccountSid: "AC0",
      TwilioAuthToken: "none",
      TwilioPhoneNumber: "+10",
      TwilioApiUrl: twilio.url,
      OpenWeatherMapApiKey: "none",
      // By which the sample's client leads its requests to the weather service here.
      https_proxy: weather.url,
      no_proxy: "127.0.0.1,localhost",
    }),
  });
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
  readonly sendEventPostUri: string;
}

async function runSample(stack: Stack, { name, input = "x", output }: Sample): Promise<void> {
  const { statusQueryGetUri } = await startSample(stack, name, input);
  await end(statusQueryGetUri, output);
}

/** Its orchestration waits for the number that was sent to the telephone. */
async function verifyPhone(stack: Stack, twilio: FakeTwilio): Promise<void> {
  const { statusQueryGetUri, sendEventPostUri } = await startSample(stack, SMS_VERIFICATION, "+49");
  const code = Number(/[\d.]+$/.exec(await messageTo("+49", twilio))?.[0]);
  const headers = { "content-type": "application/json" };
  const url = sendEventPostUri.replace("{eventName}", "SmsChallengeResponse");
  await fetch(url, { method: "POST", headers, body: JSON.stringify(code) });
  await end(statusQueryGetUri, true);
}

/** It looks again half a minute after bad weather, and sends a message in good weather. */
async function monitorWeather(stack: Stack, twilio: FakeTwilio): Promise<void> {
  const input = { location: { city: "Berlin", country: "DE" }, phone: "+50" };
  const { statusQueryGetUri } = await startSample(stack, WEATHER_MONITOR, input);
  await end(statusQueryGetUri, null);
  if (!/weather's clear/.test(await messageTo("+50", twilio))) throw new Error("another message was sent");
}

async function messageTo(phone: string, { messages }: FakeTwilio): Promise<string> {
  const find = () => messages.find(({ To }) => To === phone)?.["Body"];
  const giveUpAt = Date.now() + LIMIT_MS;
  while (find() === undefined && Date.now() < giveUpAt) await sleep(100);
  return find() ?? "";
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
