// How many orders a second each limit allows: infra/cost/limits.json divided by what an order costs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../settings.ts";
import { type OrderCounts, readCounts } from "./counts.ts";

const USES = [
  "busTransfers",
  "busBytes",
  "requestUnits",
  "activities",
  "storageRequests",
  "durableActions",
  "cpuMs",
  "heldMs",
] as const;

const schema = z.strictObject({
  /** When the sources were read. */
  read: z.iso.date(),
  limits: z.array(
    z.strictObject({
      what: z.string(),
      limit: z.number().positive(),
      unit: z.string(),
      uses: z.enum(USES),
      /** `documented`: the limit stands there, and what an order takes of it is counted, or `modelled`. `estimated`: neither. */
      basis: z.enum(["documented", "modelled", "estimated"]),
      source: z.string().min(10),
      url: z.string(),
    }),
  ),
});

export type Limits = z.infer<typeof schema>;

export function readLimits(file = join(ROOT, "infra/cost/limits.json")): Limits {
  return schema.parse(JSON.parse(readFileSync(file, "utf8")));
}

/** What an order takes of each thing that is limited. */
export function taken({ perOrder, realHost, estimated }: OrderCounts): Readonly<Record<(typeof USES)[number], number>> {
  const busTransfers = perOrder.busSends + perOrder.busDeliveries;
  return {
    busTransfers,
    busBytes: busTransfers * estimated.messageBytes,
    requestUnits: perOrder.requestUnits,
    activities: perOrder.activities,
    storageRequests: realHost.storageRequests,
    durableActions: estimated.durableActions,
    cpuMs: realHost.cpuMs,
    heldMs: estimated.heldMs,
  };
}

/** What each limit allows, and no more. */
export function sizingSummary(counts = readCounts(), { limits }: Limits = readLimits()): string {
  const costs = taken(counts);
  const rows = limits.map(({ what, limit, uses, basis }) => {
    return `| ${what} | ${number(Math.floor(limit / costs[uses]))} | ${basis} |`;
  });
  return ["| what | orders/s | basis |", "| --- | ---: | --- |", ...rows].join("\n");
}

export function sizingText(counts = readCounts(), { read, limits }: Limits = readLimits()): string {
  const { perOrder, realHost, estimated } = counts;
  const each: [string, number, string][] = [
    ["messages sent to the bus", perOrder.busSends, "counted"],
    ["messages delivered, to the app and the client", perOrder.busDeliveries, "counted"],
    ["messages completed", perOrder.busCompletions, "counted"],
    ["requests of the store", perOrder.storeRequests, "counted"],
    ["request units", perOrder.requestUnits, "a model"],
    ["activities", perOrder.activities, "counted"],
    ["spans of the app", perOrder.spans, "counted"],
    ["requests of the engine to Azure Storage", realHost.storageRequests, "real host"],
    ["CPU of host and worker, ms", realHost.cpuMs, "real host"],
    ["from arrival to Processed, alone, ms", realHost.aloneMs, "real host"],
    ["bytes of a message", estimated.messageBytes, "estimated"],
    ["actions of Durable Task Scheduler", estimated.durableActions, "estimated"],
    ["how long an attempt holds it, ms", estimated.heldMs, "estimated"],
  ];
  const costs = taken(counts);
  const rows = limits.map(({ what, limit, unit, uses, basis, url }) => {
    const rate = Math.floor(limit / costs[uses]);
    return `| ${what} | [${number(limit)} ${unit}](${url}) | ${number(costs[uses])} | **${number(rate)}** | ${basis} |`;
  });
  return [
    `## What an order costs\n\nOf ${counts.of}. Counted ${counts.counted}; "real host": ${realHost.counted}.`,
    [
      "| | an order | basis |",
      "| --- | ---: | --- |",
      ...each.map((row) => `| ${row[0]} | ${number(row[1])} | ${row[2]} |`),
    ].join("\n"),
    `## What each limit allows\n\nSources, with their links, read on ${read}; \`infra/cost/limits.json\` has what each says.`,
    ["| what | limit | an order takes | orders/s | basis |", "| --- | ---: | ---: | ---: | --- |", ...rows].join("\n"),
  ].join("\n\n");
}

const number = (value: number) => value.toLocaleString("en-US");
