// The durable engine is lost under orders in flight: its task hub is deleted, or the app goes on with another hub or another engine.
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tuning } from "@scheduler-agent-supervisor/core/create-app";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { type EngineName, type Stack, type StackOptions, startStack } from "@scheduler-agent-supervisor/local";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { settingsFor } from "../../cli/settings.ts";
import { endsOf, faultsOf } from "../chaos/oracle.ts";
import { SERVICES } from "../outages/kinds.ts";
import { adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { containerOf } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

/** `deleted`: the same host, whose hub is empty. `hub`: a new installation with a hub of another name. `engine`: one with the other engine. */
export const FORMS = ["deleted", "hub", "engine"] as const;
export type Form = (typeof FORMS)[number];

export interface LossPlan {
  readonly form: Form;
  readonly orders: number;
  readonly engine: EngineName;
  readonly workflow: Workflow;
  readonly appSettings?: Readonly<Record<string, string>>;
  readonly tuning?: Tuning;
}

export interface LossReport {
  readonly form: Form;
  readonly orders: number;
  /** How many records were in each process state when the engine was lost; the other orders were still in their queue. */
  readonly atLoss: Readonly<Record<string, number>>;
  /** From the loss until a host answered again, and until all orders had ended. */
  readonly backAfterMs: number;
  readonly endedAfterMs: number;
  /** How many orders needed a second attempt, or a third. */
  readonly laterAttempts: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** The engine is lost when a third of the orders has ended, and of the others, which are sent then, half as many are at work. */
const THIRD = 1 / 3;
/** What a call of a service takes: an order is in flight for longer than it takes to see that and to lose the engine. */
const CALL_MS = 500;
const SENT_AT_ONCE = 50;
const LOOK_EVERY_MS = 100;
const LOOKS_AGAIN = 60;
/** Several attempts as shipped, and the backlog at a slow pace. */
const GIVE_UP_MS = 300_000;
const SLOWEST_PER_SECOND = 2;

export async function runEngineLoss(plan: LossPlan, say: (line: string) => void): Promise<LossReport> {
  using adapted = adaptApp([plan.workflow], plan.tuning);
  using data = disposableFolder();
  await using app = await startTestStack({
    ...{ appDir: adapted.dir, data: data.path, engine: plan.engine },
    ...(plan.appSettings && { appSettings: plan.appSettings }),
  });
  for (const service of SERVICES) await app.switchOn(service, { kind: "slow", delayMs: CALL_MS });
  const orderIds = Array.from({ length: plan.orders }, (_, made) => `${plan.form}-${made}`);
  const third = Math.ceil(plan.orders * THIRD);
  await sendAll(app, orderIds.slice(0, third));
  await reached(third, () => countEnded(app), "had ended");
  await sendAll(app, orderIds.slice(third));
  await reached(third / 2, async () => (await countByState(app))["Processing"] ?? 0, "were at work");
  const lostAt = Date.now();
  // A process keeps a deleted file: the host dies with its hub.
  await app.stack.kill("host", "SIGKILL");
  const atLoss = await countByState(app);
  say(`${plan.form}: the engine is lost under ${JSON.stringify(atLoss)}`);
  if (!atLoss["Processing"]) throw new Error(`no order was in flight: ${JSON.stringify(atLoss)}`);
  await using successor = await goOn(app, plan, { appDir: adapted.dir, data: data.path });
  const backAfterMs = Date.now() - lostAt;
  say(`${plan.form}: a host answers again after ${inSeconds(backAfterMs)} s`);
  const giveUpAt = lostAt + GIVE_UP_MS + (plan.orders / SLOWEST_PER_SECOND) * 1000;
  while ((await countEnded(app)) < plan.orders && Date.now() < giveUpAt) await sleep(LOOK_EVERY_MS);
  const endedAfterMs = Date.now() - lostAt;
  const faults = await faultsAtLast({ ...app, stack: successor.stack }, orderIds, plan.workflow);
  const records = await app.records.of(orderIds);
  const ends = endsOf(records);
  if (ends["Processed"] !== plan.orders) faults.push(`not all are Processed: ${JSON.stringify(ends)}`);
  const laterAttempts = records.filter(({ attempt }) => attempt > 1).length;
  return { form: plan.form, orders: plan.orders, atLoss, backAfterMs, endedAfterMs, laterAttempts, ends, faults };
}

interface Successor extends AsyncDisposable {
  readonly stack: Stack;
}

/** A host that knows nothing of the attempts before. */
async function goOn(
  app: TestStack,
  { form, engine, appSettings }: LossPlan,
  { appDir, data }: Pick<StackOptions, "appDir" | "data">,
): Promise<Successor> {
  if (form === "deleted") {
    const files = globSync(join(data, "host", "durable-*.sqlite*"));
    if (files.length === 0) throw new Error(`no task hub was found in ${data}`);
    for (const file of files) rmSync(file);
    await app.stack.restart("host");
    return { stack: app.stack, [Symbol.asyncDispose]: async () => undefined };
  }
  const folder = disposableFolder();
  const stack = await startStack({
    ...{ appDir, data: folder.path, ports: "free", parts: [] },
    engine: form === "engine" ? other(engine) : engine,
    settings: {
      ...settingsFor(app.stack.addresses),
      ...{ SupervisorSchedule: "* * * * * *", TaskHub: "AnotherHub" },
      ...appSettings,
    },
  });
  return {
    stack,
    async [Symbol.asyncDispose]() {
      await stack.stop();
      folder[Symbol.dispose]();
    },
  };
}

function other(engine: EngineName): EngineName {
  return engine === "fast" ? "azure-storage" : "fast";
}

async function sendAll({ shop }: TestStack, orderIds: readonly string[]): Promise<void> {
  for (let from = 0; from < orderIds.length; from += SENT_AT_ONCE) {
    const some = orderIds.slice(from, from + SENT_AT_ONCE);
    await Promise.all(some.map((orderId) => shop.send(madeOrder(orderId))));
  }
}

async function reached(wanted: number, count: () => Promise<number>, what: string): Promise<void> {
  const giveUpAt = Date.now() + GIVE_UP_MS;
  while ((await count()) < wanted) {
    if (Date.now() > giveUpAt) throw new Error(`not ${wanted} orders ${what} after ${GIVE_UP_MS} ms`);
    await sleep(LOOK_EVERY_MS);
  }
}

/** Nothing is owed for them any more. */
async function countEnded({ settings }: TestStack): Promise<number> {
  const query =
    "SELECT VALUE COUNT(1) FROM c WHERE c.id = 'state' AND c.processState IN ('Processed', 'Compensated', 'Error') AND ARRAY_LENGTH(c.outbox) = 0";
  return (await containerOf(settings).items.query<number>(query).fetchAll()).resources[0] ?? 0;
}

async function countByState({ settings }: TestStack): Promise<Record<string, number>> {
  const query = "SELECT VALUE c.processState FROM c WHERE c.id = 'state'";
  const { resources } = await containerOf(settings).items.query<string>(query).fetchAll();
  const counts: Record<string, number> = {};
  for (const state of resources) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** The test's own shop may be behind: it receives eight messages an order. */
async function faultsAtLast(app: TestStack, orderIds: readonly string[], workflow: Workflow): Promise<string[]> {
  let faults = await faultsOf(app, orderIds, () => workflow);
  for (let looks = 0; faults.length > 0 && looks < LOOKS_AGAIN; looks += 1) {
    await sleep(1000);
    faults = await faultsOf(app, orderIds, () => workflow);
  }
  return faults;
}

export const inSeconds = (ms: number) => (ms / 1000).toFixed(1);

function disposableFolder(): Disposable & { readonly path: string } {
  const path = temporaryFolder("engine-loss-");
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
