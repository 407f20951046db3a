// How long it takes until all orders have ended whose durable engine was lost under them.
import { styleText } from "node:util";
import { ENGINES } from "@scheduler-agent-supervisor/local";
import Table from "cli-table3";
import { build } from "../../cli/build.ts";
import { choiceOf, numberOf, readArguments, runCommand } from "../../cli/every-app/arguments.ts";
import { SHIPPED } from "../outages/shipped.ts";
import { FORMS, inSeconds, type LossReport, runEngineLoss } from "./engine-loss.ts";

const USAGE = `npm run node -- tests/engine-loss/main.ts [--orders N] [--form F] [--engine E]
  Workflow, policy and times are as shipped. When a third of the orders has ended, the host is killed and its task hub is lost.
  --orders N  how many orders are sent at once (1000)
  --form F    ${FORMS.join(", ")}: the hub is deleted; another hub; the other local engine. All three if absent
  --engine E  the engine that is lost: ${ENGINES.join(" or ")} (fast)`;
/** As shipped. */
const INTERVAL = { SupervisorSchedule: "*/10 * * * * *" };

await runCommand(async () => {
  const text = { type: "string" } as const;
  const { values } = readArguments({ orders: text, form: text, engine: text }, USAGE);
  const orders = numberOf(values, "orders", 3, 100_000) ?? 1000;
  const forms = values["form"] === undefined ? FORMS : [choiceOf(values, "form", FORMS)];
  const engine = choiceOf(values, "engine", ENGINES);
  build();
  const begun = performance.now();
  const say = (line: string) => console.log(`${inSeconds(performance.now() - begun).padStart(7)} s  ${line}`);
  const reports: LossReport[] = [];
  for (const form of forms)
    reports.push(await runEngineLoss({ form, orders, engine, workflow: SHIPPED, appSettings: INTERVAL }, say));
  console.log(tableOf(reports));
  const faults = reports.flatMap(({ form, faults }) => faults.map((fault) => `${form}: ${fault}`));
  for (const fault of faults) console.log(styleText("red", fault));
  if (faults.length === 0)
    console.log(
      styleText("green", "Every order was processed, with one effect for each step, and its shop was notified."),
    );
  return faults.length === 0 ? 0 : 1;
});

function tableOf(reports: readonly LossReport[]): string {
  const head = [
    "engine lost",
    "orders",
    "in flight",
    "host back after",
    "all ended after",
    "in a later attempt",
    "ends",
  ];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const { form, orders, atLoss, backAfterMs, endedAfterMs, laterAttempts, ends } of reports) {
    const inFlight = (atLoss["Processing"] ?? 0) + (atLoss["Pending"] ?? 0);
    const inWords = Object.entries(ends).map(([end, count]) => `${count} ${end}`);
    const times = [`${inSeconds(backAfterMs)} s`, `${inSeconds(endedAfterMs)} s`];
    table.push([form, orders, inFlight, ...times, laterAttempts, inWords.join("\n")]);
  }
  return table.toString();
}
