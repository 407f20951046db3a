// `npm run agents`: the agents of this app as they are declared; writes and checks what follows from that and from the contracts.
import { business } from "../shared/business.ts";
import { words } from "../shared/words.ts";
import { staleFiles, writeGenerated } from "./agents/generated.ts";
import { missingFor, readAvailable, throwIfMissing } from "./agents/missing.ts";
import { staleNames, writeNames } from "./agents/names.ts";
import { agentTable } from "./agents/table.ts";
import { readArguments, runCommand } from "./every-app/arguments.ts";
import { columnsFor, forOutput } from "./every-app/wrapped.ts";

const USAGE = `npm run agents [-- OPTIONS]
             lists the agents with their operations, services and transports
  --write    writes the files that are generated from agents and contracts: settings, parameters, containers, tables in the docs
  --check    only lists what is missing and which files are out of date: exit code 1 if anything is`;

const APP = { contracts: business.contracts, words };

await runCommand(async () => {
  const flag = { type: "boolean" } as const;
  const { values } = readArguments({ write: flag, check: flag }, USAGE);
  if (values["write"]) {
    const written = [...new Set([...writeNames(APP), ...writeGenerated(business.serviceAgents)])];
    console.log(written.length > 0 ? forOutput(`Written: ${written.join(", ")}`) : "Nothing is stale.");
    await throwIfMissing(business);
    return 0;
  }
  if (values["check"]) return check();
  console.log(agentTable(business, process.stdout.isTTY ? columnsFor(process.stdout) : undefined));
  return 0;
});

async function check(): Promise<number> {
  const files = new Set([...staleNames(APP), ...staleFiles(business.serviceAgents)]);
  const stale = [...files].map((file) => `${file} is stale: npm run agents -- --write`);
  const faults = [...missingFor(business, await readAvailable()), ...stale];
  if (faults.length > 0) console.error(faults.join("\n"));
  else console.log(`${business.agents.length} agents have what they need.`);
  return faults.length > 0 ? 1 : 0;
}
