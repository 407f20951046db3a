// Explores worlds, each in a process of its own, and prints what each took.
import { execFileSync } from "node:child_process";
import { exploreStates } from "../../src/model/explorer.ts";
import { Model } from "../../src/model/model.ts";
import { MORE_WORLDS, WORLDS } from "./worlds.ts";

const MOST_STATES = 20_000_000;

async function measure(name: string): Promise<void> {
  const world = [...WORLDS, ...MORE_WORLDS].find((one) => one.name === name);
  if (!world) throw new Error(`there is no world ${name}`);
  const { states, depth, complete, finding } = await exploreStates(new Model(world), { states: MOST_STATES });
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const seconds = Math.ceil((userCPUTime + systemCPUTime) / 1e6);
  const outcome = finding ? `found: ${finding.fault}` : complete ? "" : "not ended";
  console.log(
    `| ${name} | ${states.toLocaleString("en")} | ${depth} | ${seconds} | ${Math.ceil(maxRSS / 1024)} | ${outcome}`,
  );
}

const [first, ...rest] = process.argv.slice(2);
if (first === "only") await measure(rest.join(" "));
else {
  const worlds = first === "all" ? [...WORLDS, ...MORE_WORLDS] : WORLDS;
  for (const { name } of worlds) {
    execFileSync(process.execPath, ["-C", "sources", import.meta.filename, "only", name], { stdio: "inherit" });
  }
}
