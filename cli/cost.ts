// `npm run cost`: what an environment costs a month, from infra/cost/prices.json: idle, and with orders; and the same elsewhere.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { numberOf, readArguments, runCommand } from "./arguments.ts";
import { readPrices } from "./cost/price-list.ts";
import { costPage, costText } from "./cost/report.ts";
import { ROOT } from "./settings.ts";

const USAGE = `npm run cost [-- OPTIONS]
  --orders N   orders a month (1000000)
  --write      writes docs/cost.md's tables anew`;
const USUAL_ORDERS = 1_000_000;

await runCommand(async () => {
  const options = { orders: { type: "string" }, write: { type: "boolean" }, help: { type: "boolean" } } as const;
  const { values } = readArguments(options, USAGE);
  if (values["help"]) {
    console.log(USAGE);
    return 0;
  }
  const prices = readPrices();
  if (values["write"]) {
    const file = join(ROOT, "docs/cost.md");
    writeFileSync(file, costPage(prices, file));
    return 0;
  }
  console.log(costText(prices, numberOf(values, "orders", 1, 1e9) ?? USUAL_ORDERS));
  return 0;
});
