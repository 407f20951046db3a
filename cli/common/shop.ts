// The client's side: sends orders over Service Bus, as a submitting application would.

import type { ServiceBusMessage } from "@azure/service-bus";
import {
  createJobClient,
  type JobClient,
  type JobRequest,
  type WantedStatuses,
} from "@scheduler-agent-supervisor/client";
import { QUEUES } from "@scheduler-agent-supervisor/core/app";
import { idNameOf } from "@scheduler-agent-supervisor/core/messaging";
import { business } from "../../shared/business.ts";
import { REPLY_QUEUE, SESSION_REPLY_QUEUE } from "../every-app/reply-queues.ts";
import type { Settings } from "../every-app/stack-file.ts";
import { openBus } from "./azure.ts";
import { firstContent } from "./samples.ts";

const { usualWorkflow } = business.contracts;
const idName = idNameOf(business.contracts);

/** Orders under way to the broker at once. */
const IN_FLIGHT = 64;

interface SendListener {
  onSend?(orderId: string): void;
  /** The broker has it. */
  onSent(orderId: string): void;
}

export interface Shop {
  /** Sends a body as it is, by the queue of its priority. Resolves when the broker has it, with the message id. */
  send(body: unknown, messageId?: string): Promise<string>;
  /** Sends `count` made orders, as fast as they go or `rate` a second. */
  sendMany(count: number, rate: number | undefined, listener: SendListener, workflow?: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param statuses which ones the app is to send; all of them without it
 * @param queue for all that is not urgent
 */
export function openShop(settings: Settings, statuses?: WantedStatuses, queue: string = QUEUES.jobs): Shop {
  const client = openBus(settings, { retryOptions: { maxRetries: 4, retryDelayInMs: 300 } });
  const normal = client.createSender(queue);
  const high = client.createSender(QUEUES.priorityJobs);

  async function send(body: unknown, messageId: string = crypto.randomUUID()): Promise<string> {
    const wanted = statuses && { applicationProperties: { statuses } };
    const message: ServiceBusMessage = { body, messageId, correlationId: messageId, replyTo: REPLY_QUEUE, ...wanted };
    await (isUrgent(body) ? high : normal).sendMessages(message);
    return messageId;
  }

  return {
    send,
    sendMany: (count, rate, { onSend, onSent }, workflow) =>
      makeOrders(count, rate, IN_FLIGHT, async ({ id, content }) => {
        onSend?.(id);
        await send({ ...content, ...(workflow && { workflow }) }, id);
        onSent(id);
      }),
    close: () => client.close(),
  };
}

/** A client that receives on a session of its own what becomes of its orders. */
export function openOrderClient(settings: Settings): JobClient {
  const queues = {
    jobsQueue: QUEUES.jobs,
    priorityQueue: QUEUES.priorityJobs,
    replyQueue: SESSION_REPLY_QUEUE,
    idName,
    usualWorkflow,
  };
  // A client that makes its own connections outlives a restart of the local broker.
  if (settings["ServiceBus"]) return createJobClient({ connection: settings["ServiceBus"], ...queues });
  const client = openBus(settings, {});
  const orders = createJobClient({ client, ...queues });
  async function close(): Promise<void> {
    await orders.close();
    await client.close();
  }
  return { ...orders, close, [Symbol.asyncDispose]: close };
}

/** Makes `count` orders, as fast as `deal` deals with them or `rate` a second, with at most `atOnce` being dealt with. */
export async function makeOrders(
  count: number,
  rate: number | undefined,
  atOnce: number,
  deal: (order: MadeJob) => Promise<void>,
): Promise<void> {
  const run = Date.now().toString(36);
  const begun = performance.now();
  const underWay = new Set<Promise<void>>();
  for (let made = 0; made < count; made += 1) {
    if (rate) await pauseUntil(begun + (made / rate) * 1000);
    if (underWay.size >= atOnce) await Promise.race(underWay);
    const dealt: Promise<void> = deal(madeJob(`made-${run}-${made + 1}`)).then(() => void underWay.delete(dealt));
    underWay.add(dealt);
  }
  await Promise.all(underWay);
}

export interface MadeJob {
  readonly id: string;
  readonly content: JobRequest;
}

/** With the content of the first sample. */
export function madeJob(id: string): MadeJob {
  return { id, content: { ...firstContent(), [idName]: id } };
}

function isUrgent(body: unknown): boolean {
  return body !== null && typeof body === "object" && "priority" in body && body.priority === "high";
}

async function pauseUntil(at: number): Promise<void> {
  const ms = at - performance.now();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
