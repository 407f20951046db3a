// The scheduler's own activities: its reads, polls and published messages.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import type { Look } from "../domain/steps/attempt.ts";
import type { PollTask } from "../domain/steps/poll.ts";
import { publishEndOf } from "../scheduler/publishing/publish.ts";
import { reportEnd } from "../scheduler/scheduler-client.ts";
import { pollService } from "../scheduler/steps/poll-service.ts";
import { readProgress } from "../scheduler/steps/read-progress.ts";
import { observe } from "../telemetry/invocation.ts";
import { engineClient } from "./engine-client.ts";

interface Subject {
  readonly jobId: string;
  readonly attempt: number;
  readonly traceparent?: string | null;
}

/** The activity that publishes the end of an attempt that stopped early. */
export const publishEnd =
  (application: App) =>
  ({ jobId, attempt, traceparent }: Subject, context: InvocationContext) => {
    const subject = { traceparent, attributes: { jobId, attempt } };
    return observe(context, subject, (telemetry) => publishEndOf({ jobId, attempt }, application.contextOf(telemetry)));
  };

/** The state of the record, as an event for an attempt that has received nothing for too long. */
export const findProgress = (application: App) => (look: Look & Subject, context: InvocationContext) => {
  const { jobId, attempt, traceparent } = look;
  const subject = { traceparent, attributes: { jobId, attempt } };
  return observe(context, subject, async (telemetry) => {
    const outcome = await readProgress(look, application.contextOf(telemetry));
    await reportEnd(engineClient(context), jobId, { outcome, receiver: attempt });
  });
};

/** Requests the status of an accepted step from its service. */
export const pollStep = (application: App) => (poll: PollTask, context: InvocationContext) => {
  const { jobId, attempt, step, direction, traceparent } = poll;
  const subject = { name: `${step} later?`, traceparent, attributes: { jobId, attempt, step, direction } };
  return observe(context, subject, async (telemetry) => {
    const end = await pollService(poll, application.contextOf(telemetry));
    await reportEnd(engineClient(context), jobId, end);
  });
};
