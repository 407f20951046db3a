// `npm run cost`: what an environment costs a month, from infra/cost/prices.json: idle, and with orders; and the same elsewhere. And what Azure's limits allow.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPrices } from "./cost/price-list.ts";
import { costPage, costText, pageWith, USUAL_ORDERS } from "./cost/report.ts";
import { sizingSummary, sizingText } from "./cost/sizing.ts";
import { numberOf, readArguments, runCommand } from "./every-app/arguments.ts";
import { ROOT } from "./settings.ts";

const USAGE = `npm run cost [-- OPTIONS]
  --orders N   orders a month (1000000)
  --sizing     how many orders a second each limit of Azure allows
  --write      writes the sums in docs/reference/cost.md and docs/reference/sizing.md anew`;

await runCommand(async () => {
  const options = {
    orders: { type: "string" },
    sizing: { type: "boolean" },
    write: { type: "boolean" },
  } as const;
  const { values } = readArguments(options, USAGE);
  if (values["sizing"]) {
    console.log(sizingText());
    return 0;
  }
  const prices = readPrices();
  if (values["write"]) {
    const [cost, sizing] = [join(ROOT, "docs/reference/cost.md"), join(ROOT, "docs/reference/sizing.md")];
    writeFileSync(cost, costPage(prices, cost));
    writeFileSync(sizing, pageWith(sizingSummary(), sizing));
    return 0;
  }
  console.log(costText(prices, numberOf(values, "orders", 1, 1e9) ?? USUAL_ORDERS));
  return 0;
});
