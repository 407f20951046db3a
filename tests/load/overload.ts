// More orders than a service takes: they wait, and waiting is nobody's failure.

import { setTimeout as sleep } from "node:timers/promises";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { StackOptions } from "@scheduler-agent-supervisor/local";
import { endsOf } from "../chaos/oracle.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { CALM_ORDERS, type Calm, calmOf, paceFaults, partsOf } from "./completions.ts";
import { throttle } from "./throttle.ts";

export interface OverloadPlan {
  readonly orders: number;
  /** Orders a second; all at once without it. */
  readonly rate?: number;
  /** The service of the fourth step: how long each call takes, and how many calls at once it takes. */
  readonly service: { readonly delayMs: number; readonly places: number };
  /** The part of its processors' time that the app's host gets, in percent: all of it without this. */
  readonly cpu?: number | undefined;
  /** The setting StartWithin, where the engine is to be later than that. */
  readonly startWithin?: string | undefined;
  /** Of each order; 1 without this. */
  readonly mostAttempts?: number;
  readonly withinMs: number;
  readonly stack?: Partial<StackOptions>;
}

export interface OverloadReport {
  readonly orders: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** How late a step began, at most, in seconds. */
  readonly latest: number;
  /** A few orders without contention; and the part of that which was completed in each stretch. Not measured without `cpu`. */
  readonly calm: Calm | undefined;
  readonly parts: readonly number[];
  /** Attempts beyond each order's first, and failures counted. */
  readonly retries: number;
  readonly failures: number;
  /** The most that were seen at once. */
  readonly inFlight: number;
  readonly waitingInQueue: number;
  /** In words: what waiting for a busy service may never lead to. */
  readonly faults: readonly string[];
}

const LOOK_EVERY_MS = 2000;
const LONGEST_STACK_START_MS = 60_000;
/** Until then the host compiles its code, and does more with each order. */
const WARM_UP_ORDERS = 100;

export async function runOverload(plan: OverloadPlan, say: (line: string) => void): Promise<OverloadReport> {
  const { orders, rate, service, cpu, startWithin, withinMs, stack } = plan;
  await using app = await startTestStack({
    appSettings: ({ remotes }) => ({
      SupervisorSchedule: "*/5 * * * * *",
      ...(startWithin && { StartWithin: startWithin }),
      ShippingEndpoints: `${remotes["shipping"]};capacity=${service.places}`,
    }),
    ...stack,
  });
  await app.shop.sendMany(WARM_UP_ORDERS, undefined, { onSent: () => undefined });
  await warmUpEnds(app);
  await app.switchOn("shipping", { kind: "slow", delayMs: service.delayMs });
  const signal = (name: "SIGSTOP" | "SIGCONT") => app.stack.kill("host", name);
  await using _ = cpu === undefined ? undefined : throttle(signal, cpu);
  const { begunAt, inFlight, waitingInQueue, records } = await burst(app, orders, rate, withinMs, say);
  const seconds = (Date.now() - begunAt) / 1000;
  // Afterwards: what was seen of the engine would help the burst.
  const few = cpu === undefined ? undefined : await burst(app, CALM_ORDERS, undefined, withinMs, say);
  const calm = few && calmOf(few.records, few.begunAt);
  const parts = calm ? partsOf(records, begunAt, calm) : [];
  const ends = endsOf(records);
  const retries = records.reduce((sum, { attempt }) => sum + attempt - 1, 0);
  const mostAttempts = Math.max(...records.map(({ attempt }) => attempt));
  const failures = records.reduce((sum, { failureCount }) => sum + failureCount, 0);
  const faults = [
    ...(ends["Processed"] === orders ? [] : [`not all are Processed: ${JSON.stringify(ends)}`]),
    ...(mostAttempts <= (plan.mostAttempts ?? 1) ? [] : [`${retries} attempts beyond each order's first`]),
    ...(failures === 0 ? [] : [`${failures} failures counted`]),
    ...paceFaults(parts),
  ];
  const latest = Math.max(...records.map(latenessOf));
  return { orders, ends, seconds, latest, calm, parts, retries, failures, inFlight, waitingInQueue, faults };
}

/** Sends the orders, and follows them until all have ended, or the time is over. */
async function burst(
  app: TestStack,
  orders: number,
  rate: number | undefined,
  withinMs: number,
  say: (line: string) => void,
) {
  const begunAt = Date.now();
  const sent: string[] = [];
  const sending = app.shop.sendMany(orders, rate, { onSent: (orderId) => void sent.push(orderId) });
  let [inFlight, waitingInQueue] = [0, 0];
  for (let ended = 0; ended < orders && Date.now() - begunAt < withinMs; ) {
    await sleep(LOOK_EVERY_MS);
    const records = await app.records.of(sent);
    ended = records.filter(({ processState }) => hasEnded(processState)).length;
    inFlight = Math.max(inFlight, records.filter(({ processState }) => processState === "Processing").length);
    waitingInQueue = Math.max(waitingInQueue, sent.length - records.length);
    const again = records.filter(({ attempt }) => attempt > 1).length;
    const seconds = Math.round((Date.now() - begunAt) / 1000);
    say(`${seconds} s: ${sent.length} sent, ${records.length} taken in, ${ended} ended, ${again} in a further attempt`);
  }
  await sending;
  return { begunAt, inFlight, waitingInQueue, records: await app.records.of(sent) };
}

/** In seconds, of the step that began the latest after it was scheduled for the last time. */
function latenessOf({ steps }: StateRecord): number {
  const runs = Object.values(steps).flatMap(({ scheduledAt, startedAt }) =>
    scheduledAt && startedAt ? [(Date.parse(startedAt) - Date.parse(scheduledAt)) / 1000] : [],
  );
  return Math.max(0, ...runs);
}

/** A cold start is none of the load's business. */
async function warmUpEnds({ records }: TestStack): Promise<void> {
  const begun = Date.now();
  for (;;) {
    const ended = await records.latest(WARM_UP_ORDERS);
    if (ended.length === WARM_UP_ORDERS && ended.every(({ processState }) => processState === "Processed")) return;
    if (Date.now() - begun > LONGEST_STACK_START_MS) throw new Error("the first orders have not ended");
    await sleep(200);
  }
}
