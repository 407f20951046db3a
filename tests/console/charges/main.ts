// Counts what each view of the console costs the store, and writes it into docs/how-to/console.md.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { build } from "../../../cli/build.ts";
import { numberOf, readArguments, runCommand } from "../../../cli/every-app/arguments.ts";
import { ROOT } from "../../../cli/settings.ts";
import { fill } from "./fill.ts";
import { type Charges, measure } from "./measure.ts";

const USUAL = 1_000_000;
const FEW = 100;
const IN_FLIGHT = 50;
const MANY = 5000;
const PAGE = join(ROOT, "docs/how-to/console.md");
const MARKS = /(<!-- charges: begin -->\n).*(<!-- charges: end -->)/s;

const USAGE = `npm run node -- tests/console/charges/main.ts [--orders N]
  counts what each view of the console costs the store, and writes the table of docs/how-to/console.md anew
  --orders N   ended orders in the store (${USUAL})`;

await runCommand(async () => {
  const { values } = readArguments({ orders: { type: "string" } }, USAGE);
  const orders = numberOf(values, "orders", FEW, 1e8) ?? USUAL;
  const folder = temporaryFolder("charges-");
  try {
    build();
    const now = Date.now();
    console.log(`Storing ${orders} orders ...`);
    await fill(folder, { from: 0, ended: orders, failed: 0, inFlight: 0 }, now);
    const none = await measure(folder);
    await fill(folder, { from: orders, ended: 0, failed: FEW, inFlight: IN_FLIGHT }, now);
    const few = await measure(folder);
    await fill(folder, { from: orders, ended: 0, failed: MANY - FEW, inFlight: 0 }, now);
    const table = tableOf(orders, [none, few, await measure(folder)]);
    console.log(table);
    const page = readFileSync(PAGE, "utf8");
    if (!MARKS.test(page)) throw new Error(`${PAGE} has no place for the table`);
    writeFileSync(PAGE, page.replace(MARKS, `$1${table}$2`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
});

function tableOf(orders: number, measured: readonly Charges[]): string {
  const number = (value: number) => value.toLocaleString("en");
  const [, , many = []] = measured;
  const rows = many.map(([view], at) => {
    const charges = measured.map((one) => number(one[at]?.[1].charge ?? 0)).join(" | ");
    return `| ${view} | ${charges} |`;
  });
  const head = [
    `| ${number(orders)} ended orders | RU, all is well | RU, ${FEW} in Error | RU, ${number(MANY)} in Error |`,
    "| --- | --- | --- | --- |",
  ];
  return `${[...head, ...rows].join("\n")}\n`;
}
