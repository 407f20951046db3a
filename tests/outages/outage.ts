// One long outage under a steady stream of orders: what has to hold while it lasts and after it.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tuning } from "@scheduler-agent-supervisor/core/create-app";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import type { StackOptions } from "@scheduler-agent-supervisor/local";
import { ROOT } from "../../cli/settings.ts";
import { smoke } from "../../shared/workflows/smoke.ts";
import { endsOf, faultsOf } from "../chaos/oracle.ts";
import { type FaultyStack, startFaultyStack } from "../faults/faulty-stack.ts";
import { madeOrder } from "../support/made-order.ts";
import { containerOf } from "../support/store.ts";
import { OUTAGES, type OutageKind, type OutageName } from "./kinds.ts";
import { longestWaitMs } from "./shipped.ts";

export interface OutagePlan {
  readonly outageMs: number;
  readonly workflow: Workflow;
  /** Of a service that is away: the outage goes on until an order has failed so often, for three times its length at most. A slow machine needs longer. */
  readonly untilFailures?: number;
  readonly ordersPerSecond?: number;
  /** From one tick of the supervisor to the next. */
  readonly intervalS: number;
  readonly appSettings?: Readonly<Record<string, string>>;
  readonly tuning?: Tuning;
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
  /** Failures of steps that were counted, of all orders; and of the order with most of them. */
  readonly failures: number;
  readonly mostFailures: number;
  /** What the slowest order of another workflow took, from its arrival to Processed: it calls no service. */
  readonly besideMs: number;
  readonly faults: readonly string[];
}

const ORDERS_PER_SECOND = 5;
const BESIDE_EVERY_MS = 2000;
const FIRST_WITHIN_MS = 60_000;
/** What the backlog is worked off with, on two cores that other things use too. */
const BACKLOG_PER_SECOND = 10;
/** A receiver's link that was cut while it signed in comes back after a minute (core-amqp 4.4.2). */
const LINKS_BACK_MS = 60_000;
/** A step that was at work when the outage began is found when its time is over. */
const STEP_MS = 10_000;
const LOOK_EVERY_MS = 2000;
const LOOKS_A_LINE = 15;
const LOOKS_FOR_THE_SHOP = 30;
const GIVE_UP_MS = 5 * 60_000;

export async function runOutage(
  name: OutageName,
  plan: OutagePlan,
  say: (line: string) => void,
): Promise<OutageReport> {
  const kind: OutageKind = OUTAGES[name];
  await using app = await startFaultyStack([plan.workflow], {
    queuesFile: join(ROOT, "infra/entities/service-bus.json"),
    appSettings: { SupervisorSchedule: `*/${plan.intervalS} * * * * *`, ...plan.appSettings, ...kind.appSettings },
    ...(kind.remotesFile !== undefined && { remotesFile: kind.remotesFile }),
    ...(plan.tuning && { tuning: plan.tuning }),
    ...plan.stack,
  });
  const orderIds: string[] = [];
  const stop = new AbortController();
  const sending = send(app, name, orderIds, plan.ordersPerSecond ?? ORDERS_PER_SECOND, stop.signal);
  await app.eventually(`${name}-0`, ({ processState }) => processState === "Processed", FIRST_WITHIN_MS);
  const back = await kind.begin(app);
  say(`${name}: begins, for ${plan.outageMs / 1000} s`);
  const beside = sendBeside(app, name, orderIds, stop.signal);
  await sleep(plan.outageMs);
  const latest = Date.now() + 2 * plan.outageMs;
  const isEnough = async () => (await mostFailures(app, orderIds)) >= (plan.untilFailures ?? 0);
  while (kind.failures === "all" && Date.now() < latest && !(await isEnough())) await sleep(LOOK_EVERY_MS);
  stop.abort();
  await Promise.all([sending, beside]);
  await back();
  return await settled(app, name, orderIds, plan, say);
}

async function mostFailures({ records }: FaultyStack, orderIds: readonly string[]): Promise<number> {
  return Math.max(...(await records.of([...orderIds])).map(({ failureCount }) => failureCount));
}

async function send(
  app: FaultyStack,
  name: string,
  orderIds: string[],
  perSecond: number,
  stop: AbortSignal,
): Promise<void> {
  for (let made = 0; !stop.aborted; made += 1) {
    const orderId = `${name}-${made}`;
    await app.shop.send(madeOrder(orderId));
    orderIds.push(orderId);
    await sleep(1000 / perSecond);
  }
}

/** Orders of a workflow that calls no service, while the outage lasts. */
async function sendBeside(app: FaultyStack, name: string, orderIds: string[], stop: AbortSignal): Promise<void> {
  for (let made = 0; !stop.aborted; made += 1) {
    const orderId = `${name}-beside-${made}`;
    await app.shop.send({ ...madeOrder(orderId), workflow: smoke.name });
    orderIds.push(orderId);
    await sleep(BESIDE_EVERY_MS);
  }
}

async function settled(
  app: FaultyStack,
  name: OutageName,
  orderIds: readonly string[],
  { intervalS, workflow }: OutagePlan,
  say: (line: string) => void,
): Promise<OutageReport> {
  const begun = Date.now();
  const backlog = orderIds.length - (await countEnded(app));
  say(`${name}: over; ${backlog} of ${orderIds.length} orders have not ended`);
  const { isWaitedFor }: OutageKind = OUTAGES[name];
  const waitMs = isWaitedFor ? longestWaitMs(workflow) : 0;
  const mayTakeMs = waitMs + 2 * intervalS * 1000 + (backlog / BACKLOG_PER_SECOND) * 1000 + LINKS_BACK_MS + STEP_MS;
  let left = backlog;
  for (let looks = 1; left > 0 && Date.now() - begun < mayTakeMs + GIVE_UP_MS; looks += 1) {
    await sleep(LOOK_EVERY_MS);
    left = orderIds.length - (await countEnded(app));
    if (looks % LOOKS_A_LINE === 0) say(`${name}: ${left} have not ended`);
  }
  const endedAfterMs = Date.now() - begun;
  // The test's own shop may be behind: it receives eight messages an order.
  const workflowOf = (record: StateRecord) => (isBeside(record) ? undefined : workflow);
  let faults = await faultsOf(app, orderIds, workflowOf);
  for (let looks = 0; faults.length > 0 && looks < LOOKS_FOR_THE_SHOP; looks += 1) {
    await sleep(LOOK_EVERY_MS);
    faults = await faultsOf(app, orderIds, workflowOf);
  }
  const records = await app.records.of(orderIds);
  const ends = endsOf(records);
  if (endedAfterMs > mayTakeMs) faults.push(`all had ended ${endedAfterMs} ms after the outage, not ${mayTakeMs} ms`);
  if (faults.length === 0 && ends["Processed"] !== orderIds.length) {
    faults.push(`not all are Processed: ${JSON.stringify(ends)}`);
    for (const { jobId: orderId, error } of records)
      if (error) faults.push(`${orderId}: ${error.kind}: ${error.message}`);
  }
  say(`${name}: ${JSON.stringify(ends)} ${Math.round(endedAfterMs / 1000)} s after its end`);
  const besideMs = Math.max(...records.filter(isBeside).map(msOf));
  return {
    name,
    orders: orderIds.length,
    backlog,
    endedAfterMs,
    mayTakeMs,
    ends,
    ...failuresOf(records),
    besideMs,
    faults,
  };
}

const isBeside = ({ workflow }: StateRecord) => workflow.name === smoke.name;

function msOf({ createdAt, enqueuedAt = createdAt, updatedAt }: StateRecord): number {
  return Date.parse(updatedAt) - Date.parse(enqueuedAt);
}

function failuresOf(records: readonly StateRecord[]): Pick<OutageReport, "failures" | "mostFailures"> {
  const counts = records.map(({ failureCount }) => failureCount);
  return { failures: counts.reduce((sum, count) => sum + count, 0), mostFailures: Math.max(...counts) };
}

/** Nothing is owed for them any more. */
async function countEnded({ settings }: FaultyStack): Promise<number> {
  const query =
    "SELECT VALUE COUNT(1) FROM c WHERE c.id = 'state' AND c.processState IN ('Processed', 'Compensated', 'Error') AND ARRAY_LENGTH(c.outbox) = 0";
  return (await containerOf(settings).items.query<number>(query).fetchAll()).resources[0] ?? 0;
}
