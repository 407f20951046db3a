// One long outage under a steady stream of orders: what has to hold while it lasts and after it.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../cli/settings.ts";
import { madeOrder } from "../../cli/shop.ts";
import type { StackOptions } from "../../local/stack/stack.ts";
import { endsOf, faultsOf } from "../chaos/oracle.ts";
import { type FaultyStack, startFaultyStack } from "../faults/faulty-stack.ts";
import { CHAIN, GRAPH } from "../support/orders.ts";
import { OUTAGES, type OutageName } from "./kinds.ts";

export interface OutagePlan {
  readonly outageMs: number;
  /** From one tick of the supervisor to the next. */
  readonly intervalS: number;
  readonly appSettings?: Readonly<Record<string, string>>;
  readonly stack?: Partial<StackOptions>;
}

export interface OutageReport {
  readonly name: OutageName;
  readonly orders: number;
  /** How many had not ended when the outage did. */
  readonly backlog: number;
  /** From the outage's end until all had ended; and how long that may take. */
  readonly endedAfterMs: number;
  readonly mayTakeMs: number;
  readonly ends: Readonly<Record<string, number>>;
  /** Failures of steps that were counted, of all orders. */
  readonly failures: number;
  readonly faults: readonly string[];
}

const ORDERS_PER_SECOND = 5;
const FIRST_WITHIN_MS = 60_000;
/** What the backlog is worked off with, on two cores that other things use too. */
const BACKLOG_PER_SECOND = 10;
/** A receiver's link that was cut while it signed in comes back after a minute (core-amqp 4.4.2). */
const LINKS_BACK_MS = 60_000;
/** A step that was at work when the outage began is found when its time is over. */
const STEP_MS = 10_000;
const LOOK_EVERY_MS = 1000;
const LOOKS_A_LINE = 15;
const GIVE_UP_MS = 5 * 60_000;

export async function runOutage(
  name: OutageName,
  plan: OutagePlan,
  say: (line: string) => void,
): Promise<OutageReport> {
  await using app = await startFaultyStack([CHAIN, GRAPH], {
    queuesFile: join(ROOT, "infra/entities/service-bus.json"),
    appSettings: { SupervisorSchedule: `*/${plan.intervalS} * * * * *`, ...plan.appSettings },
    ...plan.stack,
  });
  const orderIds: string[] = [];
  const stop = new AbortController();
  const sending = send(app, name, orderIds, stop.signal);
  await app.eventually(`${name}-0`, ({ processState }) => processState === "Processed", FIRST_WITHIN_MS);
  const back = await OUTAGES[name].begin(app);
  say(`${name}: begins, for ${plan.outageMs / 1000} s`);
  await sleep(plan.outageMs);
  stop.abort();
  await sending;
  await back();
  const backlog = await unfinished(app, orderIds);
  return await settled(app, name, orderIds, backlog, plan, say);
}

async function send(app: FaultyStack, name: string, orderIds: string[], stop: AbortSignal): Promise<void> {
  for (let made = 0; !stop.aborted; made += 1) {
    const orderId = `${name}-${made}`;
    await app.shop.send(madeOrder(orderId));
    orderIds.push(orderId);
    await sleep(1000 / ORDERS_PER_SECOND);
  }
}

async function settled(
  app: FaultyStack,
  name: OutageName,
  orderIds: readonly string[],
  backlog: number,
  { intervalS }: OutagePlan,
  say: (line: string) => void,
): Promise<OutageReport> {
  const begun = Date.now();
  say(`${name}: over; ${backlog} of ${orderIds.length} orders have not ended`);
  const mayTakeMs = 2 * intervalS * 1000 + (backlog / BACKLOG_PER_SECOND) * 1000 + LINKS_BACK_MS + STEP_MS;
  let faults: string[] = [];
  for (let looks = 0; looks === 0 || Date.now() - begun < mayTakeMs + GIVE_UP_MS; looks += 1) {
    await sleep(LOOK_EVERY_MS);
    const left = await unfinished(app, orderIds);
    if (left === 0) faults = await faultsOf(app, orderIds, () => GRAPH);
    if (left === 0 && faults.length === 0) break;
    if (looks % LOOKS_A_LINE === 0) say(`${name}: ${left} have not ended, ${faults.length} faults ${faults[0] ?? ""}`);
  }
  const endedAfterMs = Date.now() - begun;
  const records = await app.records.of(orderIds);
  const ends = endsOf(records);
  if (endedAfterMs > mayTakeMs) faults.push(`all had ended ${endedAfterMs} ms after the outage, not ${mayTakeMs} ms`);
  if (faults.length === 0 && !OUTAGES[name].mayBeUndone && ends["Processed"] !== orderIds.length) {
    faults.push(`not all are Processed: ${JSON.stringify(ends)}`);
  }
  say(`${name}: ${JSON.stringify(ends)} ${Math.round(endedAfterMs / 1000)} s after its end`);
  const failures = records.reduce((sum, { failureCount }) => sum + failureCount, 0);
  return { name, orders: orderIds.length, backlog, endedAfterMs, mayTakeMs, ends, failures, faults };
}

async function unfinished(app: FaultyStack, orderIds: readonly string[]): Promise<number> {
  const records = await app.records.of(orderIds);
  const ended = records.filter(({ processState, notices }) => /Processed|Error/.test(processState) && !notices.length);
  return orderIds.length - ended.length;
}
