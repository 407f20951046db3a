#!/usr/bin/env node
// The command `host`: runs a Functions app under a watcher.
import "../node-version.ts";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../thrown.ts";
import { ENGINES } from "./durable/engine-profile.ts";
import { type InstanceCounts, parseInstances, TOPOLOGIES, type Topology } from "./flex/groups.ts";
import { LONGEST_PAUSE_MS, Watcher, type WatcherOptions } from "./watcher.ts";
import type { HostMessage } from "./watcher-messages.ts";

const USAGE = `Usage: host APPDIR [--port N] [--data DIR] [--durability full|normal]
            [--engine NAME] [--topology single|flex] [--instances GROUP=N,…]
            [--replay] [--keys] [--grace MS] [--hang-after MS]
            [--longest-pause MS]

  APPDIR           the folder of the Functions app: package.json, host.json,
                   local.settings.json
  --port           0 takes any free one (default 7071)
  --data           the folder of the host's databases (default .local/host)
  --durability     full flushes each commit to disk; normal (default) survives
                   the death of the process
  --engine         fast (default), or azure-storage: as slow, and in the order,
                   of Durable on Azure Storage
  --topology       single (default): one process runs all functions; flex: a
                   process for each group, as in Flex Consumption
  --instances      how many processes a group has in the flex topology, as in
                   submission=2,durable=2 (default 1 each)
  --replay         replays orchestrations at every turn, as Azure does, and so
                   finds what is not deterministic
  --keys           functions of the levels function and admin need their keys,
                   as in Azure: 401 without
  --grace          how long what runs may go on at SIGINT or SIGTERM
                   (default 4000)
  --hang-after     a worker that is silent for so long is killed and started
                   again (default 10000)
  --longest-pause  before a worker that keeps dying is started again
                   (default ${LONGEST_PAUSE_MS})`;

const HANG_AFTER_MS = 10_000;
const GRACE_MS = 4000;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: "string", default: "7071" },
      data: { type: "string", default: ".local/host" },
      durability: { type: "string", default: "normal" },
      engine: { type: "string", default: "fast" },
      topology: { type: "string", default: "single" },
      instances: { type: "string" },
      replay: { type: "boolean", default: false },
      keys: { type: "boolean", default: false },
      grace: { type: "string", default: String(GRACE_MS) },
      "hang-after": { type: "string", default: String(HANG_AFTER_MS) },
      "longest-pause": { type: "string", default: String(LONGEST_PAUSE_MS) },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const [appDir, ...rest] = positionals;
  if (appDir === undefined || rest.length > 0) throw new Error("One folder of an app is wanted.");
  const { durability } = values;
  if (!existsSync(join(resolve(appDir), "package.json")))
    throw new Error(`${resolve(appDir)} is no app: it has no package.json`);
  if (durability !== "full" && durability !== "normal") throw new Error(`--durability ${durability}: full or normal`);
  const engine = ENGINES.find((name) => name === values.engine);
  if (!engine) throw new Error(`--engine ${values.engine}: ${ENGINES.join(" or ")}`);
  const { topology, instances } = values;
  if (!isTopology(topology)) throw new Error(`--topology ${topology}: ${TOPOLOGIES.join(" or ")}`);
  if (topology === "single" && instances !== undefined) throw new Error("--instances needs --topology flex");
  const worker = {
    appDir: resolve(appDir),
    port: wholeNumber("--port", values.port),
    data: resolve(values.data),
    durability,
    durableReplay: values.replay,
    keys: values.keys,
    engine,
  } as const;
  return {
    worker,
    topology,
    instanceCounts: instances === undefined ? {} : parseInstances(instances),
    graceMs: wholeNumber("--grace", values.grace),
    hangAfterMs: wholeNumber("--hang-after", values["hang-after"]),
    longestPauseMs: wholeNumber("--longest-pause", values["longest-pause"]),
  };
}

function isTopology(text: string): text is Topology {
  return TOPOLOGIES.some((one) => one === text);
}

function wholeNumber(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new Error(`${name} ${text}: a whole number is wanted`);
}

async function main(): Promise<number> {
  let options: ReturnType<typeof readArguments>;
  try {
    options = readArguments();
  } catch (cause) {
    // The fault comes last: who starts a host reads the end of what it said.
    console.error(`${USAGE}\n\n${messageOf(cause)}`);
    return 2;
  }
  if (!options) {
    console.log(USAGE);
    return 0;
  }
  // A full disk under the file that the output goes to costs lines, and not the host.
  process.stdout.on("error", () => undefined);
  const colour = process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined;
  const { topology, instanceCounts, graceMs, ...watched } = options;
  const common = { ...watched, worker: { ...options.worker, colour }, say: (line: string) => console.error(line) };
  const host = topology === "flex" ? await flexHost(common, instanceCounts) : singleHost(common);
  process.on("SIGINT", () => host.stop(graceMs));
  process.on("SIGTERM", () => host.stop(graceMs));
  try {
    return await host.run();
  } catch (cause) {
    console.error(messageOf(cause));
    return 1;
  }
}

interface RunnableHost {
  /** Resolves with the exit code of the command. */
  run(): Promise<number>;
  stop(graceMs: number): void;
}

function singleHost(options: WatcherOptions): RunnableHost {
  const watcher = new Watcher(options);
  return {
    run() {
      watcher.start();
      return watcher.ended;
    },
    stop: (graceMs) => watcher.stop(graceMs),
  };
}

async function flexHost(options: WatcherOptions, instanceCounts: InstanceCounts): Promise<RunnableHost> {
  const { FlexHost } = await import("./flex/flex-host.ts");
  return new FlexHost({
    ...options,
    instanceCounts,
    // Who started this command may want to know.
    onChange: (instances) =>
      process.connected && process.send?.({ kind: "instances", instances } satisfies HostMessage),
  });
}

process.exit(await main());
