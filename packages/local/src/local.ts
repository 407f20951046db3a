#!/usr/bin/env node
// The command `local`: a Functions app with all that its settings name of Azure, in the place of Core Tools, Azurite and two emulators.
import "./node-version.ts";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readLocalSettings } from "./host/settings.ts";
import { withFreeOption } from "./stack/busy-port.ts";
import { emulatedParts, emulatorSettings } from "./stack/emulator-settings.ts";
import { type Stack, startStack } from "./stack/stack.ts";
import { messageOf } from "./thrown.ts";

const USAGE = `Usage: local [APPDIR] [--data DIR] [--free] [--queues FILE]
             [--cosmos-resources FILE] [--like-azure]

Runs a Functions app, and what its local.settings.json names of Microsoft's
emulators: a connection string with UseDevelopmentEmulator=true is Service Bus,
one whose AccountEndpoint is on this machine is Cosmos DB, and
UseDevelopmentStorage=true is Azurite. The app gets the addresses of the parts
in their place.

  APPDIR                   the folder of the app (default: the current one)
  --data DIR               where everything is kept (default: .local in APPDIR)
  --free                   any free ports, not the usual ones (7071, 5672, 8081,
                           10000)
  --queues FILE            {queues: […]} that are made at the start, with
                           properties as in ARM
  --cosmos-resources FILE  {database, containers: […]} that are made at the
                           start, as in ARM
  --like-azure             as Azure now and then: stale reads, 429, a busy bus;
                           keys of functions, and orchestrations that are
                           replayed in each turn`;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: "string" },
      free: { type: "boolean", default: false },
      queues: { type: "string" },
      "cosmos-resources": { type: "string" },
      "like-azure": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const [folder = ".", ...rest] = positionals;
  if (rest.length > 0) throw new Error("One folder of an app is wanted.");
  const appDir = resolve(folder);
  if (!existsSync(join(appDir, "package.json"))) throw new Error(`${appDir} is no app: it has no package.json`);
  return { ...values, appDir };
}

async function run(): Promise<void> {
  const wanted = readArguments();
  if (!wanted) return console.log(USAGE);
  const { appDir, data = join(appDir, ".local"), queues, "cosmos-resources": resources } = wanted;
  const settings = readLocalSettings(appDir);
  const parts = emulatedParts(settings);
  const stack = await startStack({
    appDir,
    data: resolve(data),
    ports: wanted.free ? "free" : "usual",
    parts,
    likeAzure: wanted["like-azure"],
    ...(queues !== undefined && { queuesFile: resolve(queues) }),
    ...(resources !== undefined && { cosmosFile: resolve(resources) }),
    settingsFor: (addresses) => emulatorSettings(settings, addresses),
    log: (line) => console.log(line),
    onExit: (name, { code, signal }) => console.error(`${name} ended by itself (${code ?? signal})`),
  });
  show(stack);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stack.stop());
}

function show({ addresses }: Stack): void {
  const { bus, cosmos, azurite, host } = addresses;
  const lines = [
    ["Service Bus", bus?.connectionString],
    ["Cosmos DB", cosmos?.connectionString],
    ["Storage", azurite?.connectionString],
    ["Functions", host?.url],
  ];
  for (const [name, address] of lines) if (address !== undefined) console.log(`${name}: ${address}`);
  console.log("Ready. Ctrl+C ends it.");
}

await run().catch((cause: unknown) => {
  console.error(withFreeOption(messageOf(cause), "start with --free"));
  process.exitCode = 1;
});
