// The scheduler's own activities: what it has to ask or to say itself.
import * as df from "durable-functions";
import { ports } from "../shared/compose.ts";
import type { Poll } from "../shared/domain/poll.ts";
import { pollStep } from "../shared/operations/poll-step.ts";
import { publishEndOf } from "../shared/operations/publish-end.ts";
import { reportEnd, reportStanding } from "../shared/scheduler-client.ts";
import { observe } from "../shared/telemetry/invocation.ts";

interface Subject {
  readonly orderId: string;
  readonly attempt: number;
  readonly lockedBy: string;
  readonly traceparent?: string | null;
}

/** The last word of an attempt that broke off. */
df.app.activity("publishEnd", {
  handler: ({ orderId, attempt, traceparent }: Subject, context) => {
    const subject = { traceparent, attributes: { orderId, attempt } };
    return observe(context, subject, (telemetry) => publishEndOf({ orderId, attempt }, ports(), telemetry));
  },
});

/** How the record stands, as an event for an attempt that has received nothing for too long. */
df.app.activity("findProgress", {
  extraInputs: [df.input.durableClient()],
  handler: ({ orderId, attempt, lockedBy, traceparent }: Subject, context) => {
    const subject = { traceparent, attributes: { orderId, attempt } };
    return observe(context, subject, () => {
      const { store } = ports();
      return reportStanding(df.getClient(context), { orderId, attempt, lockedBy }, store);
    });
  },
});

/** Asks what has become of a step that was accepted. */
df.app.activity("pollStep", {
  extraInputs: [df.input.durableClient()],
  handler: (poll: Poll, context) => {
    const { orderId, attempt, step, direction, traceparent } = poll;
    const subject = { name: `${step} later?`, traceparent, attributes: { orderId, attempt, step, direction } };
    return observe(context, subject, async (telemetry) => {
      const end = await pollStep(poll, ports(), telemetry);
      await reportEnd(df.getClient(context), orderId, end);
    });
  },
});
