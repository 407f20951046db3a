// The scheduler's own activities: the claim, and the last word of an attempt that broke off.
import * as df from "durable-functions";
import { ports } from "../shared/compose.ts";
import type { Wake } from "../shared/domain/attempt.ts";
import { claimOrder } from "../shared/operations/claim-order.ts";
import { tellEndOf } from "../shared/operations/tell-end.ts";
import { observe } from "../shared/telemetry/invocation.ts";

df.app.activity("claimOrder", {
  handler: (wake: Wake, context) => {
    const { orderId, attempt, direction, traceparent } = wake;
    const subject = { name: `claim attempt ${attempt}`, traceparent, attributes: { orderId, attempt, direction } };
    return observe(context, subject, (telemetry) => claimOrder(wake, ports(), telemetry));
  },
});

interface Ended {
  readonly orderId: string;
  readonly attempt: number;
  readonly traceparent?: string | null;
}

df.app.activity("tellEnd", {
  handler: ({ orderId, attempt, traceparent }: Ended, context) => {
    const subject = { traceparent, attributes: { orderId, attempt } };
    return observe(context, subject, (telemetry) => tellEndOf({ orderId, attempt }, ports(), telemetry));
  },
});
