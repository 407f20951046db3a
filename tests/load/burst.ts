// A neighbour's burst: one customer sends many urgent orders at once, and another one a few meanwhile. Shows how much longer those take than alone.

import { setTimeout as sleep } from "node:timers/promises";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { StackOptions } from "@scheduler-agent-supervisor/local";
import { madeOrder } from "../support/made-order.ts";
import { THREE_STEPS } from "../support/orders.ts";
import { containerOf } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

export interface BurstPlan {
  /** How many urgent orders the neighbour sends at once. */
  readonly burst: number;
  /** The setting FairShare. */
  readonly share: number;
  /** How long each call takes at the services; they answer at once without it. */
  readonly delayMs: number;
  /** How many orders the other customer sends alone, and at least as many during the burst. */
  readonly others: number;
  readonly withinMs: number;
  readonly stack?: Partial<StackOptions>;
}

export interface BurstReport {
  /** Milliseconds from the sending to the end of the other customer's orders: the median and the 90th percentile. */
  readonly alone: readonly [median: number, most: number];
  readonly besideBurst: readonly [median: number, most: number];
  /** How many times longer the median is beside the burst. */
  readonly ratio: number;
  /** The places in flight that the neighbour was seen to hold at most, once the other customer was active. */
  readonly mostHeld: number;
  readonly burstSeconds: number;
  /** Attempts beyond each order's first. */
  readonly retries: number;
  readonly faults: readonly string[];
}

const EVERY_MS = 400;
const LOOK_EVERY_MS = 500;
const [NEIGHBOUR, OTHER] = ["neighbour", "other"] as const;
const SERVICES = ["inventory", "payment", "shipping"];

export async function runBurst(plan: BurstPlan, say: (line: string) => void): Promise<BurstReport> {
  const { burst, share, delayMs, others, withinMs, stack } = plan;
  await using app = await startTestStack({
    appSettings: { SupervisorSchedule: "*/5 * * * * *", FairShare: String(share) },
    ...stack,
  });
  const send = (id: string, customer: string, priority: "normal" | "high") =>
    app.shop.send({ ...madeOrder(id), workflow: THREE_STEPS.name, priority, customer: { id: customer } }, id);
  // A cold start is none of the burst's business.
  for (let order = 0; order < 5; order += 1) await send(`first-${order}`, OTHER, "high");
  await app.eventually("first-4", ({ processState }) => hasEnded(processState), 60_000);
  if (delayMs > 0) for (const service of SERVICES) await app.switchOn(service, { kind: "slow", delayMs });

  async function sendOthers(prefix: string, isOver: () => boolean): Promise<string[]> {
    const sent: string[] = [];
    while (sent.length < others || !isOver()) {
      const id = `${prefix}-${sent.length}`;
      await send(id, OTHER, "high");
      sent.push(id);
      await sleep(EVERY_MS);
    }
    return sent;
  }

  const alone = await sendOthers("alone", () => true);
  await allEnded(app, alone, withinMs);
  say(`${alone.length} orders of one customer alone`);
  const container = containerOf(app.settings);
  const count = async (condition: string) => {
    const query = `SELECT VALUE COUNT(1) FROM c WHERE c.fairnessKey = '${NEIGHBOUR}' AND ${condition}`;
    return (await container.items.query<number>(query).fetchAll()).resources[0] ?? 0;
  };
  const begun = Date.now();
  const ids = Array.from({ length: burst }, (_, index) => `burst-${index}`);
  const sending = inTurns(ids, (id) => send(id, NEIGHBOUR, "high"));
  let isOver = false;
  let mostHeld = 0;
  const watching = (async () => {
    for (let ended = 0; ended < burst && Date.now() - begun < withinMs; await sleep(LOOK_EVERY_MS)) {
      const held = await count("c.processState = 'Processing'");
      ended = await count("c.processState IN ('Processed', 'Error', 'Compensated')");
      mostHeld = Math.max(mostHeld, held);
      say(`${Math.round((Date.now() - begun) / 1000)} s: ${held} in flight, ${ended} ended`);
    }
    isOver = true;
  })();
  const beside = await sendOthers("beside", () => isOver);
  await Promise.all([sending, watching]);
  const burstSeconds = (Date.now() - begun) / 1000;
  const all = [...alone, ...beside, ...ids];
  const records = await allEnded(app, all, withinMs);
  const timesOf = (sent: readonly string[]) => latencies(records.filter(({ jobId }) => sent.includes(jobId)));
  const [aloneTimes, besideTimes] = [timesOf(alone), timesOf(beside)];
  const unprocessed = all.length - records.filter(({ processState }) => processState === "Processed").length;
  return {
    alone: aloneTimes,
    besideBurst: besideTimes,
    ratio: besideTimes[0] / aloneTimes[0],
    mostHeld,
    burstSeconds,
    retries: records.reduce((sum, { attempt }) => sum + attempt - 1, 0),
    faults: unprocessed === 0 ? [] : [`${unprocessed} orders are not Processed`],
  };
}

async function allEnded({ records }: TestStack, ids: readonly string[], withinMs: number): Promise<StateRecord[]> {
  const begun = Date.now();
  for (;;) {
    const found = await records.of([...ids]);
    const ended = found.filter(({ processState }) => hasEnded(processState));
    if (ended.length === ids.length || Date.now() - begun > withinMs) return ended;
    await sleep(LOOK_EVERY_MS);
  }
}

const AT_ONCE = 64;

async function inTurns(ids: readonly string[], work: (id: string) => Promise<unknown>): Promise<void> {
  const left = [...ids];
  const worker = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) await work(id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function latencies(records: readonly StateRecord[]): [number, number] {
  const times = records
    .map(
      ({ enqueuedAt, createdAt, overAt, updatedAt }) =>
        Date.parse(overAt ?? updatedAt) - Date.parse(enqueuedAt ?? createdAt),
    )
    .sort((one, other) => one - other);
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
  return [at(0.5), at(0.9)];
}
