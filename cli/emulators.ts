// Microsoft's emulators in Docker, with the queues and containers that the app needs.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CosmosClient } from "@azure/cosmos";
import { emulatorConfig } from "./emulators/emulator-config.ts";
import { type CosmosEntities, createContainers } from "./emulators/emulator-containers.ts";
import { probeStore } from "./emulators/emulator-probe.ts";
import { readArguments, runCommand } from "./every-app/arguments.ts";
import { ROOT, sampleSettings } from "./settings.ts";

const USAGE = `npm run node -- cli/emulators.ts [OPTIONS]
  --config     only write .emulators/: Config.json for the Service Bus emulator, and a password for its SQL Server
  --containers only create the Cosmos DB containers, on a running emulator, and probe its batches
  --stop       remove the emulators and their data
Needs Docker with Compose, and ACCEPT_EULA=Y in the environment.`;

const FOLDER = join(ROOT, ".emulators");
const ENVIRONMENT = join(FOLDER, "docker.env");
const BUS_HEALTH = "http://127.0.0.1:5300/health";
const READY_WITHIN_MS = 180_000;
const PAUSE_MS = 1000;

await runCommand(async () => {
  const flag = { type: "boolean" } as const;
  const { values } = readArguments({ config: flag, containers: flag, stop: flag }, USAGE);
  if (values["config"]) return writeFolder();
  if (values["containers"]) return containers();
  if (values["stop"]) return compose("down");
  if (process.env["ACCEPT_EULA"] !== "Y") {
    throw new Error(
      "Microsoft's terms for the Service Bus emulator and SQL Server have to be accepted: set ACCEPT_EULA=Y.\n" +
        "https://github.com/Azure/azure-service-bus-emulator-installer/blob/main/EMULATOR_EULA.txt\n" +
        "https://aka.ms/useterms",
    );
  }
  writeFolder();
  compose("up", "--detach");
  const found = await containers();
  await busReady();
  console.log(
    "Ready, on the ports of local.settings.sample.json. The services that agents call: npm run services -- remotes",
  );
  return found;
});

function compose(...command: string[]): number {
  const args = ["compose", "--env-file", ENVIRONMENT, ...command];
  const { error, status } = spawnSync("docker", args, { cwd: ROOT, stdio: "inherit" });
  if (error) throw new Error(`docker can't be run: ${error.message}`, { cause: error });
  if (status !== 0) throw new Error(`docker ${args.join(" ")} failed; is Docker with Compose installed?`);
  return 0;
}

function writeFolder(): number {
  mkdirSync(FOLDER, { recursive: true });
  const entities = JSON.parse(readFileSync(join(ROOT, "infra/entities/service-bus.json"), "utf8"));
  const config = emulatorConfig(entities, (text) => console.log(`  ${text}`));
  writeFileSync(join(FOLDER, "Config.json"), `${JSON.stringify(config, null, 2)}\n`);
  // SQL Server wants three of four kinds of characters.
  const password = `Aa1-${randomBytes(18).toString("base64url")}`;
  if (!existsSync(ENVIRONMENT)) writeFileSync(ENVIRONMENT, `MSSQL_SA_PASSWORD=${password}\n`, { mode: 0o600 });
  return 0;
}

async function containers(): Promise<number> {
  const entities = JSON.parse(readFileSync(join(ROOT, "infra/entities/cosmos.json"), "utf8"));
  const connection = sampleSettings()["Cosmos"] ?? "";
  await createContainers(connection, entities, READY_WITHIN_MS);
  return reportProbe(connection, entities);
}

/** What was found, and a failure where the core could not rest on it. */
async function reportProbe(connection: string, { database, containers: [orders] }: CosmosEntities): Promise<number> {
  const key = orders?.partitionKey;
  const path = typeof key === "string" ? key : (key?.paths[0] ?? "");
  const client = new CosmosClient(connection);
  try {
    const faults = await probeStore(client.database(database).container(orders?.id ?? ""), path.slice(1));
    for (const fault of faults) console.error(`  ${fault}`);
    console.log(
      faults.length === 0
        ? "The Cosmos DB emulator rejects stale ETags inside batches, and a failed batch leaves nothing."
        : "Do not trust this version of the Cosmos DB emulator: two attempts could both claim an order on it. Use another image in docker-compose.yml, or npm run services.",
    );
    return faults.length === 0 ? 0 : 1;
  } finally {
    client.dispose();
  }
}

async function busReady(): Promise<void> {
  const giveUpAt = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const healthy = await fetch(BUS_HEALTH).then(
      ({ ok }) => ok,
      () => false,
    );
    if (healthy) return;
    if (Date.now() > giveUpAt) throw new Error(`${BUS_HEALTH} isn't healthy: docker compose logs service-bus`);
    await sleep(PAUSE_MS);
  }
}
