// `npm start`: brings the local stack up, sends the sample orders, shows them go through, and stays.

import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { styleText } from "node:util";
import { ENGINES, HOST_NAMES, makeFolder, PART_NAMES, type Stack, startStack } from "@scheduler-agent-supervisor/local";
import { business } from "../shared/business.ts";
import { words } from "../shared/words.ts";
import { REMOTES_FILE, throwIfMissing } from "./agents/missing.ts";
import { build } from "./build.ts";
import { openRecords, type Records } from "./common/records.ts";
import { ENDINGS, readSamples, type Sample } from "./common/samples.ts";
import { openShop } from "./common/shop.ts";
import {
  choiceOf,
  numberOf,
  readArguments,
  runCommand,
  stopSignal,
  UsageError,
  unlessStopped,
  type Values,
} from "./every-app/arguments.ts";
import { printFor, withAddress } from "./every-app/printed-commands.ts";
import { DEFAULT_DATA, removeStackFile, type Settings, stackPid, writeStackFile } from "./every-app/stack-file.ts";
import { forOutput } from "./every-app/wrapped.ts";
import { plainText } from "./orders/text.ts";
import { showTrace } from "./orders/trace.ts";
import { ROOT, settingsFor } from "./settings.ts";
import { addressTable } from "./start/address-table.ts";
import { createBoard } from "./start/board.ts";
import { type CutOff, effectFaults, Outage } from "./start/cut-off.ts";
import { type Ended, endedAsExpected, type Followed, follow } from "./start/follow.ts";
import { describeOwnSettings, ownSettings } from "./start/own-settings.ts";
import { reasonForNone, type SampleChoice, sampleChoiceOf } from "./start/sample-choice.ts";
import { type SecondRegion, SHARED_PARTS, startSecondRegion } from "./start/second-region.ts";
import { sendSamples, switchOnFaults } from "./start/send-samples.ts";
import { topologyOf } from "./start/topology.ts";
import { settingsForWorkers } from "./start/workers.ts";

const USAGE = `npm start [-- OPTIONS]
  --exit               stop when all sample orders have ended; exit code 0 only if each ended as its sample says
  --json               print one line of JSON at the end
  --no-samples         send no sample orders
  --samples            send them also to a stack that has orders of an earlier start (default: only to a new one)
  --hosts N            1 (default) or 2: the second host has its own port and task hub, as in a second region
  --cut-off PART       with --hosts 2: disconnect the second host from bus or store for a minute while orders arrive
  --cut-off-for S      the number of seconds (60)
  --engine NAME        the durable engine: fast (default), or azure-storage, with the delays and the sequence of Azure Storage
  --topology T         single (default): one process runs all functions; flex: each group of functions has its own process,
                       as in Azure's Flex Consumption plan
  --instances G=N,…    how many processes a group has with --topology flex, as in submission=2,durable=2 (1 each)
  --remotes FILE       the simulated services (samples/remotes.ts); samples/fraud-worker.ts has an agent that is not in the app
  --stale-reads MS     Cosmos DB may answer a read from up to so many milliseconds before, as a replica in Azure may
  --like-azure         as strict as Azure: stale reads, enforced throughput, a bus that is busy at times, idle senders, keys (local)
  --trace ORDER        do not start a stack: print an order's trace as a tree, after its end if a stack runs
  --data DIR           the state folder (.local)
  --durability LEVEL   full: flush to disk at every commit; normal (default): no loss if a process crashes
  --within SECONDS     how long the samples may take with --exit, or an order with --trace (120)
  --host-port N --bus-port N --bus-admin-port N --cosmos-port N --azurite-port N --remotes-port N --traces-port N`;

const PORTS = ["host", "bus", "bus-admin", "cosmos", "azurite", "remotes", "traces"] as const;

const USUAL_CUT_OFF_S = 60;
const LOOK_AGAIN_MS = 200;

await runCommand(main);

async function main(): Promise<number> {
  const text = { type: "string" } as const;
  const ports = Object.fromEntries(PORTS.map((name) => [`${name}-port`, text]));
  const flag = { type: "boolean" } as const;
  const flags = { exit: flag, json: flag, samples: flag, "no-samples": flag, "like-azure": flag };
  const { values } = readArguments(
    {
      ...flags,
      ...ports,
      data: text,
      durability: text,
      within: text,
      hosts: text,
      "cut-off": text,
      "cut-off-for": text,
      engine: text,
      topology: text,
      instances: text,
      remotes: text,
      "stale-reads": text,
      trace: text,
    },
    USAGE,
  );
  const data = String(values["data"] ?? DEFAULT_DATA);
  printFor({ data });
  const withinMs = (numberOf(values, "within", 1, 3600) ?? 120) * 1000;
  if (values["trace"] !== undefined) return showTrace(String(values["trace"]), data, withinMs);
  const holder = stackPid(data);
  if (holder !== undefined)
    throw new Error(`A stack runs on ${data} already (process ${holder}). Stop it, or use --data DIR.`);
  const hosts = numberOf(values, "hosts", 1, HOST_NAMES.length) ?? 1;
  const engine = choiceOf(values, "engine", ENGINES);
  if (!Number.isInteger(hosts)) throw new UsageError(`--hosts must be a whole number, and is ${hosts}`);

  const topology = topologyOf(values);
  const staleReadsMs = numberOf(values, "stale-reads", 1, 3_600_000);
  const cutOff = cutOffOf(values, hosts);
  const samples = sampleChoiceOf(values);

  // Before the compiler, whose words for an unknown agent are long.
  business.loadWorkflows();
  await throwIfMissing(business);

  makeFolder(data);
  build();
  // Not before: the compiler stops by itself.
  const stopped = stopSignal();
  const stop = new AbortController();
  stopped.addEventListener("abort", () => stop.abort());
  const own = ownSettings(process.env);
  const remotesFile = resolve(ROOT, String(values["remotes"] ?? REMOTES_FILE));
  const workers = await settingsForWorkers(remotesFile);
  const region = cutOff && (await startSecondRegion());
  const starting = startStack({
    appDir: ROOT,
    data,
    parts: PART_NAMES,
    ports: stackPorts(values),
    hosts,
    engine,
    ...topology,
    staleReadsMs,
    likeAzure: Boolean(values["like-azure"]),
    durability: values["durability"] === "full" ? "full" : "normal",
    settingsFor: (addresses) => ({
      ...settingsFor(addresses, own.values),
      ...workers,
      ...region?.settingsFor(addresses),
    }),
    queuesFile: join(ROOT, "infra/entities/service-bus.json"),
    cosmosFile: join(ROOT, "infra/entities/cosmos.json"),
    remotesFile,
    onProgress: (part, ms) => console.log(`  ${part.padEnd(8)} ready after ${(ms / 1000).toFixed(1)} s`),
    onExit: (name, exit) => {
      console.error(
        styleText(
          "red",
          `The ${name} process ended (${exit.signal ?? exit.code}): see ${join(data, "logs", `${name}.log`)}`,
        ),
      );
      stop.abort();
    },
    onInstanceExit: (name) => console.error(styleText("red", `The process ${name} ended; its host starts it again.`)),
  });
  const stack = await unlessStopped(starting, "the stack", stopped);
  try {
    const show = { exit: Boolean(values["exit"]), json: Boolean(values["json"]), samples, region, cutOff };
    const settings = settingsFor(stack.addresses, own.values);
    for (const line of describeOwnSettings(own, settings)) console.log(forOutput(line));
    return await runSamples(stack, settings, data, withinMs, stop.signal, show);
  } finally {
    removeStackFile(data);
    await stack.stop();
    await region?.[Symbol.asyncDispose]();
  }
}

interface Show {
  readonly exit: boolean;
  readonly json: boolean;
  readonly samples: SampleChoice;
  readonly region: SecondRegion | undefined;
  readonly cutOff: CutOff | undefined;
}

async function runSamples(
  stack: Stack,
  settings: Settings,
  data: string,
  withinMs: number,
  stop: AbortSignal,
  { exit, json, samples, region, cutOff }: Show,
): Promise<number> {
  writeStackFile(data, settings, { app: stack.addresses.host?.url, services: stack.addresses.remotes });
  console.log(addressTable(stack.addresses, join(data, "logs"), stack.instances));

  const records = openRecords(settings);
  const begun = performance.now();
  try {
    const { orders, sent } = await beginSamples(stack, settings, records, samples, cutOff);
    const outage = cutOff && new Outage(cutOff);
    const shop = openShop(settings);
    const running = region && outage?.run(region, shop, orders, stop);
    const board = createBoard(process.stdout);
    const limitMs = exit ? withinMs : Number.POSITIVE_INFINITY;
    const look = () => follow(orders, records, outage ? outage.above(board) : board, limitMs, stop);
    let ended = await look();
    // For a moment there may be nothing to wait for.
    for (; outage && !outage.isOver && !stop.aborted; ended = await look()) await sleep(LOOK_AGAIN_MS);
    await running;
    await shop.close();
    const seconds = (performance.now() - begun) / 1000;
    const asExpected = report(ended) && (!outage || (await reportEffects(orders, records, stack.addresses.remotes)));
    if (json) printJson(ended, sent + orders.filter(({ about }) => about !== undefined).length, seconds);
    if (exit || stop.aborted) return asExpected || (stop.aborted && !exit) ? 0 : 1;
  } finally {
    await records.close();
  }
  console.log(
    withAddress(
      "\nThe stack stays up. Stop: Ctrl-C\nSend more: npm run send -- --count 20\nLook: npm run orders -- needs, npm start -- --trace ID",
    ),
  );
  await new Promise((resolve) => stop.addEventListener("abort", resolve, { once: true }));
  console.log("\nStopping");
  return 0;
}

async function beginSamples(
  stack: Stack,
  settings: Settings,
  records: Records,
  choice: SampleChoice,
  cutOff: CutOff | undefined,
): Promise<{ orders: Followed[]; sent: number }> {
  const left = await records.unfinished();
  if (left.length > 0) console.log(`Taking up ${left.length} unfinished ${words.many} of the last run.`);
  const orders: Followed[] = left.map(({ jobId: orderId, createdAt }) => ({
    orderId,
    messageId: "",
    sample: undefined,
    sentAt: Date.parse(createdAt),
  }));

  const none = reasonForNone(choice, (await records.latest(1)).length > 0);
  if (none !== undefined) {
    console.log(forOutput(none));
    return { orders, sent: 0 };
  }

  // What waits for a region that is cut off may come when a sample's fault is over: how many attempts it takes is then not said. What it does at most
  // once, and could not record, a person has to ask about.
  const samples = readSamples(Date.now().toString(36)).map((sample) =>
    cutOff ? { ...sample, attempts: 1, mayNeedPerson: true } : sample,
  );
  const shop = openShop(settings);
  console.log(`Sending ${samples.length} sample ${words.many} over Service Bus:`);
  const withFaults = (sample: Sample) => switchOnFaults([sample], stack.addresses.remotes);
  orders.push(...(await sendSamples(samples, shop, records, withFaults)));
  await shop.close();
  return { orders, sent: samples.reduce((sum, { copies }) => sum + copies, 0) };
}

/** Says what ended otherwise than it had to, and what the quarantine names. True if all ended as expected. */
function report(ended: readonly Ended[]): boolean {
  for (const { followed, faults } of ended) {
    if (faults.length === 0) continue;
    console.log(forOutput(`\n${followed.orderId} is in the quarantine queue, with every fault named:`));
    for (const fault of faults) console.log(forOutput(`  - ${plainText(fault)}`));
  }
  const wrong = ended.filter((one) => !endedAsExpected(one));
  for (const { followed, ending, attempts } of wrong) {
    const wanted = followed.sample
      ? `${followed.sample.ends} after at least ${followed.sample.attempts} attempts`
      : "its end";
    console.log(styleText("red", `${followed.orderId}: ${ending} after ${attempts} attempts, not ${wanted}`));
  }
  if (wrong.length === 0 && ended.length > 0)
    console.log(styleText("green", `\nAll ${ended.length} ended as they should.`));
  return wrong.length === 0;
}

/** True if each step of each order had one effect. */
async function reportEffects(
  orders: readonly Followed[],
  records: Records,
  remotes: Readonly<Record<string, string>>,
): Promise<boolean> {
  const faults = await effectFaults(orders, records, remotes);
  for (const fault of faults) console.log(styleText("red", fault));
  if (faults.length === 0) console.log(styleText("green", "Each step of each order had one effect."));
  return faults.length === 0;
}

function printJson(ended: readonly Ended[], sent: number, seconds: number): void {
  const count = (ending: Ended["ending"]) => ended.filter((one) => one.ending === ending).length;
  const counts = Object.fromEntries(ENDINGS.map((ending) => [ending.toLowerCase(), count(ending)]));
  console.log(JSON.stringify({ sent, ...counts, seconds: Number(seconds.toFixed(1)) }));
}

function cutOffOf(values: Values, hosts: number): CutOff | undefined {
  const seconds = numberOf(values, "cut-off-for", 1, 3600);
  const { "cut-off": part } = values;
  if (part === undefined && seconds === undefined) return undefined;
  if (part === undefined) throw new UsageError(`--cut-off-for needs --cut-off ${SHARED_PARTS.join(" or ")}`);
  const from = choiceOf(values, "cut-off", SHARED_PARTS);
  if (hosts < 2) throw new UsageError("--cut-off needs --hosts 2");
  return { from, ms: (seconds ?? USUAL_CUT_OFF_S) * 1000 };
}

function stackPorts(values: Values) {
  const port = (name: string) => numberOf(values, `${name}-port`, 0, 65_535);
  const [host, bus, busAdmin, cosmos, azurite, remotes, traces] = PORTS.map(port);
  return {
    ...(host !== undefined && { host }),
    ...(bus !== undefined && { bus }),
    ...(busAdmin !== undefined && { busAdmin }),
    ...(cosmos !== undefined && { cosmos }),
    ...(azurite !== undefined && {
      azuriteBlob: azurite,
      azuriteQueue: azurite && azurite + 1,
      azuriteTable: azurite && azurite + 2,
    }),
    ...(remotes !== undefined && { remotes }),
    ...(traces !== undefined && { traces }),
  };
}
