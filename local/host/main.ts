// The command `host`: runs a Functions app under a watcher.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ENGINES } from "./durable/engine-profile.ts";
import { Watcher } from "./watcher.ts";

const USAGE = `Usage: host APPDIR [--port N] [--data DIR] [--durability full|normal] [--engine NAME] [--replay] [--hang-after MS]

  APPDIR        the folder of the Functions app: package.json, host.json, local.settings.json
  --port        0 takes any free one (default 7071)
  --data        the folder of the host's databases (default .local/host in the current one)
  --durability  full flushes each commit to disk; normal (default) survives the death of the process
  --engine      fast (default), or azure-storage: as slow, and in the order, of Durable on Azure Storage
  --replay      replays orchestrations at every turn, as Azure does, and so finds what is not deterministic
  --hang-after  a worker that is silent for so long is killed and started again (default 10000)`;

const HANG_AFTER_MS = 10_000;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: "string", default: "7071" },
      data: { type: "string", default: ".local/host" },
      durability: { type: "string", default: "normal" },
      engine: { type: "string", default: "fast" },
      replay: { type: "boolean", default: false },
      "hang-after": { type: "string", default: String(HANG_AFTER_MS) },
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
  return {
    appDir: resolve(appDir),
    port: wholeNumber("--port", values.port),
    data: resolve(values.data),
    durability,
    durableReplay: values.replay,
    engine,
    hangAfterMs: wholeNumber("--hang-after", values["hang-after"]),
  } as const;
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
    console.error(`${cause instanceof Error ? cause.message : String(cause)}\n\n${USAGE}`);
    return 2;
  }
  if (!options) {
    console.log(USAGE);
    return 0;
  }
  const colour = process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined;
  const watcher = new Watcher({ ...options, colour, say: (line) => console.error(line) });
  process.on("SIGINT", () => watcher.stop());
  process.on("SIGTERM", () => watcher.stop());
  return watcher.run();
}

process.exit(await main());
