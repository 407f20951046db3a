// Prices times usage, as Markdown tables; the sums stand in docs/reference/cost.md between two marks, written by `npm run cost -- --write`.
import { readFileSync } from "node:fs";
import { environmentOf, namedChoices } from "./environments.ts";
import { costOf, type PriceList } from "./price-list.ts";
import { elsewhere, idleUse, orderUse, type Use } from "./usage.ts";

const BEGIN = "<!-- npm run cost -- --write -->";
const END = "<!-- end -->";
/** Orders a month. */
export const USUAL_ORDERS = 1_000_000;

export function costPage(prices: PriceList, file: string): string {
  return pageWith(costSummary(prices, USUAL_ORDERS), file);
}

/** The page with what is generated in it between the two marks. */
export function pageWith(generated: string, file: string): string {
  const text = readFileSync(file, "utf8");
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${file} has no ${BEGIN} … ${END}`);
  return `${before}${BEGIN}\n\n${generated}\n\n${END}${after}`;
}

/** The sums alone. */
export function costSummary(prices: PriceList, orders: number): string {
  const environments = columnsOf(orders);
  const row = (what: string, columns: readonly Column[], free: Free) =>
    `| ${what} | ${columns.map(({ uses }) => money(totalOf(prices, uses, free))).join(" | ")} |`;
  const others = elsewhere(orders).map(({ name, uses }) => `${name} ${money(totalOf(prices, uses, {}))}`);
  return [
    pricesOf(prices),
    [
      `| a month | ${environments.idle.map(({ name }) => name).join(" | ")} |`,
      `| --- | ${environments.idle.map(() => "---:").join(" | ")} |`,
      row("with nothing to do", environments.idle, prices.free.idle),
      row(`${count(orders)} orders of five steps, on top`, environments.busy, prices.free.orders),
    ].join("\n"),
    `The same ${count(orders)} orders elsewhere: ${others.join("; ")}.`,
  ].join("\n\n");
}

export function costText(prices: PriceList, orders: number): string {
  const { idle, busy } = columnsOf(orders);
  return [
    pricesOf(prices),
    "### A month with nothing to do",
    table(prices, idle, prices.free.idle),
    `### ${count(orders)} orders of five steps a month, on top`,
    table(prices, busy, prices.free.orders),
    `### The same ${count(orders)} orders elsewhere`,
    ...elsewhere(orders).map(
      ({ name, uses }) => `**${name}**\n\n${table(prices, [{ name: prices.currency, uses }], {})}`,
    ),
  ].join("\n\n");
}

const count = (orders: number) => orders.toLocaleString("en-US");

function pricesOf({ asOf, currency, prices }: PriceList): string {
  const unverified = Object.values(prices).filter(({ verified }) => !verified).length;
  return `Prices of ${asOf} in ${currency}; ${unverified} of ${Object.keys(prices).length} are not verified.`;
}

/** A column for each environment. */
function columnsOf(orders: number): { readonly idle: readonly Column[]; readonly busy: readonly Column[] } {
  const environments = [...namedChoices()].map(([name, choices]) => ({ name, environment: environmentOf(choices) }));
  return {
    idle: environments.map(({ name, environment }) => ({ name, uses: idleUse(environment) })),
    busy: environments.map(({ name, environment }) => ({ name, uses: orderUse(orders, environment) })),
  };
}

type Free = Readonly<Record<string, number>>;

interface Column {
  readonly name: string;
  readonly uses: readonly Use[];
}

/** Every column has the same rows, in the same order. */
function table(prices: PriceList, columns: readonly Column[], free: Free): string {
  const rows = (columns[0]?.uses ?? []).map(({ what, basis }, row) => {
    const cells = columns.map(({ uses }) => money(useCost(prices, uses[row], free)));
    return `| ${what} | ${basis} | ${cells.join(" | ")} |`;
  });
  const sums = columns.map(({ uses }) => `**${money(totalOf(prices, uses, free))}**`);
  return [
    `| what | basis | ${columns.map(({ name }) => name).join(" | ")} |`,
    `| --- | --- | ${columns.map(() => "---:").join(" | ")} |`,
    ...rows,
    `| **together** | | ${sums.join(" | ")} |`,
  ].join("\n");
}

export function totalOf(prices: PriceList, uses: readonly Use[], free: Free): number {
  return uses.reduce((sum, use) => sum + useCost(prices, use, free), 0);
}

function useCost(prices: PriceList, use: Use | undefined, free: Free): number {
  return use ? costOf(prices, use.meter, use.quantity, free[use.meter]) : 0;
}

const money = (amount: number) => amount.toFixed(2);
