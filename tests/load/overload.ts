// More orders than a service takes: they wait, and waiting is nobody's failure.

import { setTimeout as sleep } from "node:timers/promises";
import { hasEnded } from "@scheduler-agent-supervisor/core/domain";
import type { StackOptions } from "@scheduler-agent-supervisor/local";
import { endsOf } from "../chaos/oracle.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

export interface OverloadPlan {
  readonly orders: number;
  /** Orders a second; all at once without it. */
  readonly rate?: number;
  /** The service of the fourth step: how long each call takes, and how many calls at once it takes. */
  readonly service: { readonly delayMs: number; readonly places: number };
  /** The part of its processors' time that the app's host gets, in percent: all of it without this. */
  readonly cpu?: number | undefined;
  readonly withinMs: number;
  readonly stack?: Partial<StackOptions>;
}

export interface OverloadReport {
  readonly orders: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly seconds: number;
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

export async function runOverload(plan: OverloadPlan, say: (line: string) => void): Promise<OverloadReport> {
  const { orders, rate, service, cpu, withinMs, stack } = plan;
  await using app = await startTestStack({
    appSettings: ({ remotes }) => ({
      SupervisorSchedule: "*/5 * * * * *",
      ShippingEndpoints: `${remotes["shipping"]};capacity=${service.places}`,
    }),
    ...stack,
  });
  await app.shop.sendMany(1, undefined, { onSent: () => undefined });
  await firstEnds(app);
  await app.switchOn("shipping", { kind: "slow", delayMs: service.delayMs });
  await using _ = cpu === undefined ? undefined : throttle(app, cpu);
  const begun = Date.now();
  const sent: string[] = [];
  const sending = app.shop.sendMany(orders, rate, { onSent: (orderId) => void sent.push(orderId) });
  let inFlight = 0;
  let waitingInQueue = 0;
  for (let ended = 0; ended < orders; ) {
    await sleep(LOOK_EVERY_MS);
    const records = await app.records.of(sent);
    ended = records.filter(({ processState }) => hasEnded(processState)).length;
    inFlight = Math.max(inFlight, records.filter(({ processState }) => processState === "Processing").length);
    waitingInQueue = Math.max(waitingInQueue, sent.length - records.length);
    const seconds = Math.round((Date.now() - begun) / 1000);
    say(`${seconds} s: ${sent.length} sent, ${records.length} taken in, ${ended} ended`);
    if (Date.now() - begun > withinMs) break;
  }
  await sending;
  const seconds = (Date.now() - begun) / 1000;
  const records = await app.records.of(sent);
  const ends = endsOf(records);
  const retries = records.reduce((sum, { attempt }) => sum + attempt - 1, 0);
  const failures = records.reduce((sum, { failureCount }) => sum + failureCount, 0);
  const faults = [
    ...(ends["Processed"] === orders ? [] : [`not all are Processed: ${JSON.stringify(ends)}`]),
    ...(retries === 0 ? [] : [`${retries} attempts beyond each order's first`]),
    ...(failures === 0 ? [] : [`${failures} failures counted`]),
  ];
  return { orders, ends, seconds, retries, failures, inFlight, waitingInQueue, faults };
}

const SLICE_MS = 100;

/** A busy machine: of each tenth of a second the host runs for its part only. */
function throttle({ stack }: TestStack, percent: number): AsyncDisposable {
  const ended = new AbortController();
  const slices = async () => {
    while (!ended.signal.aborted) {
      await stack.kill("host", "SIGSTOP");
      await sleep(SLICE_MS * (1 - percent / 100));
      await stack.kill("host", "SIGCONT");
      await sleep((SLICE_MS * percent) / 100);
    }
  };
  const running = slices();
  return {
    [Symbol.asyncDispose]() {
      ended.abort();
      return running;
    },
  };
}

/** A cold start is none of the load's business. */
async function firstEnds({ records }: TestStack): Promise<void> {
  const begun = Date.now();
  while ((await records.latest(1))[0]?.processState !== "Processed") {
    if (Date.now() - begun > LONGEST_STACK_START_MS) throw new Error("the first order has not ended");
    await sleep(200);
  }
}
