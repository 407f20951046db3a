// What each view of the console asks of the store, counted on the local stack.
import { setTimeout as sleep } from "node:timers/promises";
import {
  CHANGES_MS,
  HOME_MS,
  LIST_MS,
  QUEUES_MS,
  WAITS_MS,
} from "../../../packages/operator/console/src/api/intervals.ts";
import { adaptApp } from "../../support/adapted-app.ts";
import { CARRIER, CHAIN, GRAPH, THREE_STEPS } from "../../support/orders.ts";
import type { Spent } from "./meter.ts";
import { startMeteredStack } from "./metered-stack.ts";

/** No index answers it. */
export const LOOKS_THROUGH = "Search that nothing matches";

/** What is over is counted once: later it is one slot of 30. It has what arrived in an hour. */
export const LAST_HOUR = "The overview's last hour, in a new process";

/** What the first view asks, and how often. */
const HOME: readonly (readonly [path: string, everyMs: number])[] = [
  ["session", QUEUES_MS],
  // From memory alone.
  ["changes", CHANGES_MS],
  // At once with the session: each process reads the pauses once in five seconds.
  ["agents", QUEUES_MS],
  ["attention", HOME_MS],
  ["attention/jobs", HOME_MS],
  ["held-up", HOME_MS],
  ["bulk?open=true", QUEUES_MS],
  ["dead-letters", QUEUES_MS],
  ["awaiting", HOME_MS],
  ["waiting-messages", WAITS_MS],
  // From a blob.
  ["reports", WAITS_MS],
  ["supervisor", LIST_MS],
];
/** Asked for beside what is listed: not if all is well. */
const OF_LISTED = ["taken", QUEUES_MS] as const;
const MINUTE_MS = 60_000;
/** What the desk has read it answers for five seconds without asking again. */
const REMEMBERED_MS = 6000;

/** In the order in which a view asks. */
const VIEWS: readonly (readonly [view: string, paths: readonly string[]])[] = [
  ["Needs a person (first view)", HOME.map(([path]) => path)],
  // With what the first view asks.
  ["Overview", ["overview", "traffic", "agents", "supervisor"]],
  [LAST_HOUR, ["last-hour"]],
  ["A job", ["jobs/stored-1", "taken"]],
  ["Search, no filter", ["jobs?limit=50"]],
  ["Search, in Error by cause", ["jobs?limit=50&state=Error&kind=rejected"]],
  ["Search by a job's id", ["jobs?limit=50&q=stored-1"]],
  ["Search by a business key", ["jobs?limit=50&key=customer:nobody&workflow=none"]],
  [LOOKS_THROUGH, ["jobs?limit=50&workflow=none"]],
  ["Search, in progress", ["jobs?limit=50&state=Processing"]],
  ["Agents", ["agents"]],
  ["Supervision", ["supervisor", "audit-log"]],
];

export const FIRST_VIEW = VIEWS[0]?.[0] ?? "";
/** Of the first view, for as long as it is open. */
export const A_MINUTE = "The same, for each minute that it is open";

export type Charges = readonly (readonly [view: string, spent: Spent])[];

/**
 * @param folder with a filled store
 * @param wanted the views that are asked; all if absent
 */
export async function measure(folder: string, wanted?: readonly string[]): Promise<Charges> {
  // A step of one of the workflows may be done later: otherwise nobody looks for such.
  using adapted = adaptApp([THREE_STEPS, CHAIN, GRAPH, CARRIER]);
  await using metered = await startMeteredStack({ appDir: adapted.dir, data: folder });
  const charges: [string, Spent][] = [];
  const ask = async (path: string): Promise<number> => {
    const before = metered.spent.charge;
    const response = await metered.app.call(`api/${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
    return metered.spent.charge - before;
  };
  const { count } = (await (await metered.app.call("api/attention")).json()) as { count: number };
  const home = count === 0 ? HOME : [...HOME, OF_LISTED];
  // What was just read is not remembered any more.
  await sleep(REMEMBERED_MS);
  for (const [view, usual] of VIEWS) {
    if (wanted && !wanted.includes(view)) continue;
    const paths = view === FIRST_VIEW ? home.map(([path]) => path) : usual;
    const before = metered.spent;
    for (const path of paths) await ask(path);
    const { requests, charge, documents } = metered.spent;
    const spent = {
      requests: requests - before.requests,
      charge: Math.round(charge - before.charge),
      documents: documents - before.documents,
    };
    charges.push([view, spent]);
    if (view !== FIRST_VIEW) continue;
    await sleep(REMEMBERED_MS);
    let inAMinute = 0;
    for (const [path, everyMs] of home) inAMinute += (await ask(path)) * (MINUTE_MS / everyMs);
    charges.push([A_MINUTE, { requests: 0, charge: Math.round(inAMinute), documents: 0 }]);
  }
  return charges;
}
