// What each view of the console asks of the store, counted on the local stack.
import { setTimeout as sleep } from "node:timers/promises";
import { adaptApp } from "../../support/adapted-app.ts";
import { CARRIER, CHAIN, GRAPH, THREE_STEPS } from "../../support/orders.ts";
import { startTestStack } from "../../support/test-stack.ts";
import { type Spent, startMeter } from "./meter.ts";

/** Timers cost the same whether anybody looks or not. */
export const NEVER = "0 0 0 1 1 *";
const QUIET_MS = 500;

/** No index answers it. */
export const LOOKS_THROUGH = "Search that nothing matches";

/** In the order in which a view asks. */
const VIEWS: readonly (readonly [view: string, paths: readonly string[]])[] = [
  [
    "Needs a person (first view)",
    ["session", "attention", "attention/jobs", "claims", "bulk", "dead-letters", "awaiting"],
  ],
  ["Overview", ["overview", "traffic"]],
  ["A job", ["jobs/stored-1", "claims"]],
  ["Search, no filter", ["jobs?limit=50"]],
  ["Search, in Error by cause", ["jobs?limit=50&state=Error&kind=rejected"]],
  ["Search by a job's id", ["jobs?limit=50&q=stored-1"]],
  ["Search by a business key", ["jobs?limit=50&key=customer:nobody&workflow=none"]],
  [LOOKS_THROUGH, ["jobs?limit=50&workflow=none"]],
  ["Search, in progress", ["jobs?limit=50&state=Processing"]],
  ["Agents", ["agents"]],
  ["Supervision", ["supervisor", "supervisor/entries"]],
];

export type Charges = readonly (readonly [view: string, spent: Spent])[];

/** @param folder with a filled store */
export async function measure(folder: string): Promise<Charges> {
  await using meter = await startMeter();
  // A step of one of the workflows may be done later: otherwise nobody looks for such.
  using adapted = adaptApp([THREE_STEPS, CHAIN, GRAPH, CARRIER]);
  await using app = await startTestStack({
    appDir: adapted.dir,
    data: folder,
    appSettings: ({ cosmos }) => {
      meter.target = cosmos?.port ?? 0;
      const proxied = cosmos?.connectionString.replace(String(cosmos.port), String(meter.port)) ?? "";
      return { Cosmos: proxied, SupervisorSchedule: NEVER, GaugesSchedule: NEVER, HousekeepingSchedule: NEVER };
    },
  });
  const host = app.stack.addresses.host?.url;
  // What the app checks when it starts is no view's.
  for (let before = -1; before !== meter.spent.requests; await sleep(QUIET_MS)) before = meter.spent.requests;
  const charges: [string, Spent][] = [];
  for (const [view, paths] of VIEWS) {
    const before = meter.spent;
    for (const path of paths) {
      const response = await fetch(`${host}/api/${path}`);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
    }
    const { requests, charge, documents } = meter.spent;
    const spent = {
      requests: requests - before.requests,
      charge: Math.round(charge - before.charge),
      documents: documents - before.documents,
    };
    charges.push([view, spent]);
  }
  return charges;
}
