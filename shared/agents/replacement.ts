// The agent of `exchange`, whose service is this app itself (P35): starts an order of another workflow, and cancels it, as any client does.
import { createHash } from "node:crypto";
import { cancellationOf, submissionOf } from "@scheduler-agent-supervisor/client/requests";
import { contentDigest, defineLocalAgent, type ReadEnd } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import { type Order, USUAL_WORKFLOW } from "../contracts/order.ts";

const REPLIES = "replies-replacements";
const APP = { jobsQueue: "jobs", priorityQueue: "jobs-priority", idName: "orderId" } as const;

/** The same for the same key: however often it is sent, it is one order. */
export function replacementOf(order: Order, idempotencyKey: string): Order {
  const digest = createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 12);
  return { ...order, orderId: `re-${order.orderId.slice(0, 60)}-${digest}`, workflow: USUAL_WORKFLOW };
}

/**
 * What has come of the order: nothing while there is none and while it has not ended. One in Error waits for a person, and may still be done.
 * The messages on the reply queue only say when to look: each may come twice, late, out of order or from anybody.
 */
const endOf: ReadEnd = async ({ idempotencyKey, direction, job }, store) => {
  const wanted = replacementOf(job as Order, idempotencyKey);
  const { processState, error, contentDigest: digest } = (await store.latest(wanted.orderId))?.record ?? {};
  if (processState === undefined) return undefined;
  const order = `order ${wanted.orderId}`;
  // Another sender's; or its own, as it was before an operator edited the exchange.
  if (digest !== contentDigest(wanted, USUAL_WORKFLOW))
    return { kind: "rejected", message: `${order} has other content`, outcomeUnknown: true };
  const isForward = direction === "forward";
  switch (processState) {
    case "Processed":
      if (isForward) return { kind: "done", result: { orderId: wanted.orderId } };
      return { kind: "rejected", message: `${order} is Processed, and can't be cancelled` };
    case "Compensated":
    case "Cancelled":
      if (isForward) return { kind: "rejected", message: `${order} is ${processState}: ${error?.message}` };
      return { kind: "done", result: { orderId: wanted.orderId, status: processState } };
    default:
      return undefined;
  }
};

/** An operation is over once its message is sent. If it runs again, the app finds the order that it has, or that is cancelled already. */
export const replacementAgent = defineLocalAgent({
  name: "replacement",
  seen: (order: Order) => order,
  results: {
    send: z.object({ orderId: z.string() }),
    cancel: z.object({ orderId: z.string(), status: z.string() }),
  },
  transports: ["activity"],
  replies: { queue: REPLIES, endOf },
  operations: {
    send: async ({ job, idempotencyKey: correlationId }, { send }) => {
      const order = replacementOf(job, correlationId);
      const { queue, message } = submissionOf(order, APP, { replyTo: REPLIES, correlationId });
      await send(queue, message);
      return { kind: "accepted", reference: order.orderId };
    },
    /** Compensates `send`. An order that may not have been sent is sent first: then there is one to cancel, and a later message finds it. */
    cancel: async ({ job, compensates }, { send }) => {
      const { idempotencyKey: correlationId = "", result, reference } = compensates ?? {};
      const order = replacementOf(job, correlationId);
      const address = { replyTo: REPLIES, correlationId };
      const first = result || reference ? [] : [submissionOf(order, APP, address)];
      const digest = contentDigest(order, USUAL_WORKFLOW);
      const cancellation = cancellationOf(order, digest, `${job.orderId} is compensated`, APP, address);
      for (const { queue, message } of [...first, cancellation]) await send(queue, message);
      return { kind: "accepted", reference: order.orderId };
    },
  },
});
