// Long outages, each on a stack of its own, side by side, under a steady stream of orders.
import { styleText } from "node:util";
import { ENGINES, TOPOLOGIES } from "@scheduler-agent-supervisor/local";
import Table from "cli-table3";
import { build } from "../../cli/build.ts";
import { choiceOf, numberOf, readArguments, runCommand, type Values } from "../../cli/every-app/arguments.ts";
import { OUTAGE_NAMES, type OutageName, SERVICES } from "./kinds.ts";
import { type OutageReport, runOutage } from "./outage.ts";
import { SHIPPED } from "./shipped.ts";

const USAGE = `npm run node -- tests/outages/main.ts [--only LIST] [--service LIST] [--minutes M] [--rate R] [--at-once N] [--topology T] [--engine E]
  Workflow and policy are as shipped: after ten minutes without a service the last orders end half an hour later.
  --only LIST    some of ${OUTAGE_NAMES.join(", ")}, with commas (all)
  --service LIST some of ${SERVICES.join(", ")}, or all: the same as --only NAME-down
  --minutes M    how long each lasts (10)
  --rate R       how many orders a second (5)
  --at-once N    how many stacks run side by side (4)
  --topology T   ${TOPOLOGIES.join(" or ")} (single)
  --engine E     ${ENGINES.join(" or ")} (fast)`;
const INTERVAL_S = 30;

await runCommand(async () => {
  const text = { type: "string" } as const;
  const { values } = readArguments(
    {
      ...{ only: text, service: text, minutes: text, rate: text },
      ...{ "at-once": text, topology: text, engine: text },
    },
    USAGE,
  );
  const waiting = chosen(values);
  const topology = choiceOf(values, "topology", TOPOLOGIES);
  const engine = choiceOf(values, "engine", ENGINES);
  const outageMs = (numberOf(values, "minutes", 0.1, 600) ?? 10) * 60_000;
  const tuning = { timing: { misconfiguredRetryMs: INTERVAL_S * 1000 } };
  const ordersPerSecond = numberOf(values, "rate", 0.1, 100) ?? 5;
  build();
  const plan = {
    ...{ outageMs, ordersPerSecond, intervalS: INTERVAL_S, workflow: SHIPPED },
    ...{ tuning, stack: { topology, engine } },
  };
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

function chosen({ only, service }: Values): OutageName[] {
  const listed = (list: Values[string]) => (list === undefined ? [] : String(list).split(","));
  const names = listed(only).map((name) => choiceOf({ only: name }, "only", OUTAGE_NAMES));
  const services =
    service === "all" ? SERVICES : listed(service).map((name) => choiceOf({ service: name }, "service", SERVICES));
  const found = [...names, ...services.map((name) => `${name}-down` as const)];
  return found.length > 0 ? found : [...OUTAGE_NAMES];
}

function tableOf(reports: readonly OutageReport[]): string {
  const table = new Table({
    head: [
      "outage",
      "orders",
      "left at its end",
      "all ended after",
      "allowed",
      "failures counted",
      "most of one order",
      "others took",
      "ends",
    ],
    style: { head: [], border: [] },
  });
  for (const { name, orders, backlog, endedAfterMs, mayTakeMs, failures, mostFailures, besideMs, ends } of reports) {
    const inWords = Object.entries(ends).map(([end, count]) => `${count} ${end}`);
    table.push([
      name,
      orders,
      backlog,
      `${Math.round(endedAfterMs / 1000)} s`,
      `${Math.round(mayTakeMs / 1000)} s`,
      failures,
      mostFailures,
      `${(besideMs / 1000).toFixed(1)} s`,
      inWords.join("\n"),
    ]);
  }
  return table.toString();
}
