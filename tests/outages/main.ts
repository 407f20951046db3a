// `npm run outages`: long outages, each on a stack of its own, side by side, under a steady stream of orders.
import { styleText } from "node:util";
import { ENGINES } from "@scheduler-agent-supervisor/local/host/durable/engine-profile";
import { TOPOLOGIES } from "@scheduler-agent-supervisor/local/host/flex/groups";
import Table from "cli-table3";
import { choiceOf, numberOf, readArguments, runCommand } from "../../cli/arguments.ts";
import { OUTAGE_NAMES } from "./kinds.ts";
import { type OutageReport, runOutage } from "./outage.ts";

const USAGE = `npm run outages -- [--only LIST] [--minutes M] [--at-once N] [--topology T] [--engine E]
  --only LIST    some of ${OUTAGE_NAMES.join(", ")}, with commas (all)
  --minutes M    how long each lasts (10)
  --at-once N    how many stacks run side by side (4)
  --topology T   ${TOPOLOGIES.join(" or ")} (single)
  --engine E     ${ENGINES.join(" or ")} (fast)`;
const INTERVAL_S = 30;

await runCommand(async () => {
  const text = { type: "string" } as const;
  const { values } = readArguments(
    { only: text, minutes: text, "at-once": text, topology: text, engine: text, help: { type: "boolean" } },
    USAGE,
  );
  if (values["help"]) {
    console.log(USAGE);
    return 0;
  }
  const only = values["only"] === undefined ? OUTAGE_NAMES : String(values["only"]).split(",");
  const waiting = only.map((name) => choiceOf({ only: name }, "only", OUTAGE_NAMES));
  const topology = choiceOf(values, "topology", TOPOLOGIES);
  const engine = choiceOf(values, "engine", ENGINES);
  const outageMs = (numberOf(values, "minutes", 0.1, 600) ?? 10) * 60_000;
  const appSettings = { RetryMisconfiguredAfter: `PT${INTERVAL_S}S` };
  const plan = { outageMs, intervalS: INTERVAL_S, appSettings, stack: { topology, engine } };
  const begun = performance.now();
  const say = (line: string) =>
    console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(7)} s  ${line}`);
  const reports: OutageReport[] = [];
  const one = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) reports.push(await runOutage(name, plan, say));
  };
  await Promise.all(Array.from({ length: numberOf(values, "at-once", 1, 16) ?? 4 }, one));
  console.log(tableOf(reports));
  const faults = reports.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`));
  for (const fault of faults) console.log(styleText("red", fault));
  if (faults.length === 0)
    console.log(styleText("green", "Nothing was lost or dead-lettered; each shop received true statuses."));
  return faults.length === 0 ? 0 : 1;
});

function tableOf(reports: readonly OutageReport[]): string {
  const table = new Table({
    head: ["outage", "orders", "left at its end", "all ended after", "allowed", "failures counted", "ends"],
    style: { head: [], border: [] },
  });
  for (const { name, orders, backlog, endedAfterMs, mayTakeMs, failures, ends } of reports) {
    const inWords = Object.entries(ends).map(([end, count]) => `${count} ${end}`);
    table.push([
      name,
      orders,
      backlog,
      `${Math.round(endedAfterMs / 1000)} s`,
      `${Math.round(mayTakeMs / 1000)} s`,
      failures,
      inWords.join("\n"),
    ]);
  }
  return table.toString();
}
