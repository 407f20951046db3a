// The scheduler's own activities: what it has to ask or to say itself.

import type { Poll } from "@scheduler-agent-supervisor/core/domain/poll";
import { pollStep } from "@scheduler-agent-supervisor/core/operations/poll-step";
import { publishEndOf } from "@scheduler-agent-supervisor/core/operations/publish-end";
import { reportEnd, reportStanding } from "@scheduler-agent-supervisor/core/scheduler-client";
import { observe } from "@scheduler-agent-supervisor/core/telemetry/invocation";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

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
    return observe(context, subject, (telemetry) =>
      publishEndOf({ orderId, attempt }, application.contextOf(telemetry)),
    );
  },
});

/** How the record stands, as an event for an attempt that has received nothing for too long. */
df.app.activity("findProgress", {
  extraInputs: [df.input.durableClient()],
  handler: ({ orderId, attempt, lockedBy, traceparent }: Subject, context) => {
    const subject = { traceparent, attributes: { orderId, attempt } };
    return observe(context, subject, () => {
      const { store } = application.ports();
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
      const end = await pollStep(poll, application.contextOf(telemetry));
      await reportEnd(df.getClient(context), orderId, end);
    });
  },
});
