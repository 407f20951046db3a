// The page of costs: every price stands in one dated list, and the tables are what the list and the usage multiply to.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../settings.ts";
import { readCounts } from "./counts.ts";
import { environmentOf, namedChoices } from "./environments.ts";
import { costOf, readPrices } from "./price-list.ts";
import { costPage, pageWith, totalOf } from "./report.ts";
import { readLimits, sizingSummary } from "./sizing.ts";
import { elsewhere, idleUse, orderUse, runsAMonth } from "./usage.ts";

const prices = readPrices();
const environments = new Map([...namedChoices()].map(([name, choices]) => [name, environmentOf(choices)]));
const idle = (name: string) => {
  const environment = environments.get(name);
  if (!environment) throw new Error(`no ${name}`);
  return totalOf(prices, idleUse(environment), prices.free.idle);
};

test("the page's sums are what npm run cost -- --write writes", () => {
  const file = join(ROOT, "docs/reference/cost.md");
  expect(readFileSync(file, "utf8")).toBe(costPage(prices, file));
});

test("the sizing page's rates are what npm run cost -- --write writes", () => {
  const file = join(ROOT, "docs/reference/sizing.md");
  expect(readFileSync(file, "utf8")).toBe(pageWith(sizingSummary(), file));
});

test("what the sizing page calls documented stands on counts alone, and names a page of Microsoft's", () => {
  const { estimated } = readCounts();
  for (const { what, uses, basis, url } of readLimits().limits) {
    const restsOnEstimate = uses === "busBytes" || uses === "cpuMs" || Object.hasOwn(estimated, uses);
    const restsOnCounts = uses === "requestUnits" ? "modelled" : "documented";
    expect(basis, what).toBe(restsOnEstimate ? "estimated" : restsOnCounts);
    if (basis !== "estimated") expect(url, what).toMatch(/^https:\/\/learn\.microsoft\.com\//);
  }
});

test("the development environment costs about a third of the usual one", () => {
  expect(idle("dev") / idle("usual")).toBeGreaterThan(0.2);
  expect(idle("dev") / idle("usual")).toBeLessThan(0.4);
});

test("with zones every scaling group has two instances, chosen or not", () => {
  expect(environmentOf({ ZONE_REDUNDANT: "true" }).ready).toBe(20);
  expect(environmentOf({ ZONE_REDUNDANT: "true", ALWAYS_READY_DURABLE: "3" }).ready).toBe(21);
  expect(environmentOf({}).ready).toBe(1);
});

test("in zones functions run on always-ready instances, and a serverless store's request units cost a quarter more", () => {
  const units = (environment: ReturnType<typeof environmentOf>) =>
    orderUse(1, environment).find(({ meter }) => meter === "cosmosServerless")?.quantity ?? 0;
  const [usual, zones] = [environmentOf({}), environmentOf({ ZONE_REDUNDANT: "true" })];
  expect(units(zones) / units(usual)).toBeCloseTo(1.25);
  const meters = [...idleUse(zones), ...orderUse(1, zones)].map(({ meter }) => meter);
  expect(meters).not.toContain("flexExecution");
});

test("each price says where it is from, and none that could not be looked up passes for verified", () => {
  for (const [name, { source, verified }] of Object.entries(prices.prices)) {
    expect(source.length, name).toBeGreaterThan(10);
    expect(verified, name).toBe(false);
  }
});

test("each meter in use has its price, and each price is used", () => {
  const [environment] = environments.values();
  if (!environment) throw new Error("there is no environment");
  const uses = [...idleUse(environment), ...orderUse(1, environment), ...orderUse(1, { ...environment, ready: 0 })];
  const meters = new Set([...uses, ...elsewhere(1).flatMap(({ uses }) => uses)].map(({ meter }) => meter));
  for (const meter of meters) expect(costOf(prices, meter, 1)).toBeGreaterThan(0);
  const mentioned = readFileSync(join(ROOT, "docs/reference/cost.md"), "utf8");
  for (const name of Object.keys(prices.prices)) expect(meters.has(name) || mentioned.includes(name), name).toBe(true);
  expect(() => costOf(prices, "nothing", 1)).toThrow("no nothing");
});

test("what is free is taken off once", () => {
  expect(costOf(prices, "logs", 5, 5)).toBe(0);
  expect(costOf(prices, "logs", 7, 5)).toBeCloseTo(4.6);
});

test.each([
  ["*/10 * * * * *", 262_800],
  ["0 */5 * * * *", 8760],
  ["0 17 * * * *", 730],
])("%s runs %i times a month", (schedule, runs) => expect(runsAMonth(schedule)).toBe(runs));
