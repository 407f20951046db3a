// `npm run reset`: forgets all that the local stack keeps.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { readArguments, runCommand } from "./arguments.ts";
import { DEFAULT_DATA, stackPid } from "./stack-file.ts";

const USAGE = `npm run reset
  --data DIR   the state folder to clear (.local)`;

/** What the parts of a stack keep in its folder. */
const OURS = /^(bus|cosmos|remotes|azurite|host2?|traces|logs|stack\.json|bench-\w+)$/;

await runCommand(async () => {
  const { values } = readArguments({ data: { type: "string" } }, USAGE);
  const data = String(values["data"] ?? DEFAULT_DATA);
  const holder = stackPid(data);
  if (holder !== undefined) throw new Error(`A stack runs on ${data} (process ${holder}): stop it first.`);
  const foreign = existsSync(data) ? readdirSync(data).filter((entry) => !OURS.test(entry)) : [];
  if (foreign.length > 0)
    throw new Error(`${data} contains files that do not belong to a stack: ${foreign.join(", ")}. Nothing is cleared.`);
  rmSync(data, { recursive: true, force: true });
  console.log(`${data} is cleared.`);
  return 0;
});
