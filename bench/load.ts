// Sends orders and is notified of their end on the private reply queue, as a client would.
import { ServiceBusClient } from "@azure/service-bus";
import type { WantedStatuses } from "@scheduler-agent-supervisor/client";
import { openShop } from "../cli/common/shop.ts";
import { REPLY_QUEUE } from "../cli/every-app/reply-queues.ts";
import type { Settings } from "../cli/every-app/stack-file.ts";

export interface LoadResult {
  readonly orders: number;
  /** From the first send to the last Completed. */
  readonly seconds: number;
  /** From send to Completed, each order, in ms, the shortest first. */
  readonly latenciesMs: readonly number[];
  readonly failed: number;
  /** Orders a second of the last quarter over those of the first. */
  readonly lastQuarter: number;
}

/** One order: its instants as the client saw them, in ms since 1970. */
export interface OrderEnd {
  readonly orderId: string;
  readonly sentAt: number;
  readonly endedAt: number;
}

export interface Load {
  readonly orders: number;
  /** Orders a second; as fast as they go without it. */
  readonly rate?: number | undefined;
  readonly workflow: string;
  readonly statuses: WantedStatuses;
  /** That the orders are sent to, in the place of the app's own. */
  readonly queue?: string;
}

/** Longer than a message stays locked for a host that has crashed. */
const TIMEOUT_LIMIT_MS = 120_000;
const CONCURRENT_RECEIVES = 50;

/**
 * @param onEnd called for each order that ends, with how many have ended
 * @throws if nothing ends for two minutes
 */
export async function runLoad(
  settings: Settings,
  { orders, rate, workflow, statuses, queue }: Load,
  onProgress: (sent: number, ended: number) => void,
  onEnd: (ended: number, end: OrderEnd) => void = () => {},
): Promise<LoadResult> {
  const client = new ServiceBusClient(settings["ServiceBus"] ?? "");
  const receiver = client.createReceiver(REPLY_QUEUE, { receiveMode: "receiveAndDelete" });
  const shop = openShop(settings, statuses, queue);
  const sentAt = new Map<string, number>();
  const latenciesMs: number[] = [];
  const endedAt: number[] = [];
  let failed = 0;
  let lastEndAt = 0;
  const allEnded = Promise.withResolvers<void>();
  let quiet = setTimeout(() => undefined, 0);
  const stillAlive = () => {
    clearTimeout(quiet);
    quiet = setTimeout(
      () => allEnded.reject(new Error(`nothing has ended for ${TIMEOUT_LIMIT_MS} ms`)),
      TIMEOUT_LIMIT_MS,
    );
  };

  const subscription = receiver.subscribe(
    {
      async processMessage({ subject, body }) {
        if (subject !== "Completed" && subject !== "Failed") return;
        const { jobId: orderId } = body as { jobId: string };
        const at = sentAt.get(orderId);
        if (at === undefined) return;
        sentAt.delete(orderId);
        lastEndAt = performance.now();
        endedAt.push(lastEndAt);
        latenciesMs.push(lastEndAt - at);
        if (subject === "Failed") failed += 1;
        onEnd(latenciesMs.length, {
          orderId,
          sentAt: performance.timeOrigin + at,
          endedAt: performance.timeOrigin + lastEndAt,
        });
        stillAlive();
        if (latenciesMs.length === orders) allEnded.resolve();
      },
      async processError({ error }) {
        allEnded.reject(error);
      },
    },
    { maxConcurrentCalls: CONCURRENT_RECEIVES },
  );

  let sent = 0;
  const progress = setInterval(() => onProgress(sent, latenciesMs.length), 1000);
  const begun = performance.now();
  try {
    stillAlive();
    await Promise.all([
      allEnded.promise,
      shop.sendMany(
        orders,
        rate,
        {
          onSend: (orderId) => sentAt.set(orderId, performance.now()),
          onSent: () => {
            sent += 1;
          },
        },
        workflow,
      ),
    ]);
  } finally {
    clearTimeout(quiet);
    clearInterval(progress);
    await subscription.close();
    await shop.close();
    await client.close();
  }
  latenciesMs.sort((one, other) => one - other);
  const lastQuarter = tookMs(endedAt, begun, 0, 0.25) / tookMs(endedAt, begun, 0.75, 1);
  return { orders, seconds: (lastEndAt - begun) / 1000, latenciesMs, failed, lastQuarter };
}

/** From the end of one share of the orders to that of another. */
function tookMs(endedAt: readonly number[], begun: number, from: number, to: number): number {
  const at = (share: number) => endedAt[Math.round(endedAt.length * share) - 1] ?? begun;
  return at(to) - at(from);
}

/** The value below which a share of the sorted values lies. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
