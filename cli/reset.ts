// `npm run reset`: forgets all that the local stack keeps.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readArguments, runCommand } from "./every-app/arguments.ts";
import { DEFAULT_DATA, stackPid } from "./every-app/stack-file.ts";

const USAGE = `npm run reset
  --data DIR   the state folder to clear (.local)`;

/** What the parts of a stack keep in its folder. */
const OURS = /^(bus|cosmos|remotes|azurite|host2?|traces|logs|stack\.json|bench-\w+)$/;
/** What tests leave in the usual one: no state of a stack, so it stays. */
const BESIDE = /^(compiled|last-runs|faults)$/;

await runCommand(async () => {
  const { values } = readArguments({ data: { type: "string" } }, USAGE);
  const data = String(values["data"] ?? DEFAULT_DATA);
  const holder = stackPid(data);
  if (holder !== undefined) throw new Error(`A stack runs on ${data} (process ${holder}): stop it first.`);
  const entries = existsSync(data) ? readdirSync(data) : [];
  const foreign = entries.filter((entry) => !OURS.test(entry) && !BESIDE.test(entry));
  if (foreign.length > 0)
    throw new Error(`${data} contains files that do not belong to a stack: ${foreign.join(", ")}. Nothing is cleared.`);
  for (const entry of entries.filter((entry) => OURS.test(entry))) rmSync(join(data, entry), { recursive: true });
  if (!entries.some((entry) => BESIDE.test(entry))) rmSync(data, { recursive: true, force: true });
  console.log(`${data} is cleared.`);
  return 0;
});
