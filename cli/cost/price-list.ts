// The dated list of prices, infra/cost/prices.json: the only place where a price stands.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../settings.ts";

const price = z.object({
  price: z.number().positive(),
  per: z.number().positive(),
  unit: z.string(),
  verified: z.boolean(),
  source: z.string().min(1),
});
const schema = z.object({
  asOf: z.iso.date(),
  currency: z.string(),
  region: z.string(),
  /** What of a meter costs nothing each month, by what uses it first. */
  free: z.object({ idle: z.record(z.string(), z.number()), orders: z.record(z.string(), z.number()) }),
  prices: z.record(z.string(), price),
});

export type PriceList = z.infer<typeof schema>;

export function readPrices(file = join(ROOT, "infra/cost/prices.json")): PriceList {
  return schema.parse(JSON.parse(readFileSync(file, "utf8")));
}

/** Of one meter for a month. @throws if the list does not have it */
export function costOf(list: PriceList, meter: string, quantity: number, free = 0): number {
  const found = list.prices[meter];
  if (!found) throw new Error(`infra/cost/prices.json has no ${meter}`);
  return (Math.max(0, quantity - free) / found.per) * found.price;
}
