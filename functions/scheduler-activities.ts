// The scheduler's own activity: the last word of an attempt that broke off.
import * as df from "durable-functions";
import { ports } from "../shared/compose.ts";
import { tellEndOf } from "../shared/operations/tell-end.ts";
import { observe } from "../shared/telemetry/invocation.ts";

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
