// The scheduler's functions (P4, P10): its queue of attempts, and its own activities: its reads, polls and published messages.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import type { ClaimOutcome, Look, StartAttempt } from "../domain/steps/attempt.ts";
import type { PollTask } from "../domain/steps/poll.ts";
import { QUEUES } from "../messaging/queues.ts";
import { claimJob } from "../scheduler/claim-job.ts";
import { publishEndOf } from "../scheduler/publishing/publish.ts";
import { createLossHandler } from "../scheduler/publishing/publish-ends-again.ts";
import {
  type Claimed,
  parseStartAttempt,
  readProgress,
  reportEnd,
  startClaimed,
} from "../scheduler/scheduler-client.ts";
import { pollService } from "../scheduler/steps/poll-service.ts";
import { observe } from "../telemetry/invocation.ts";
import { engineClient } from "./engine-client.ts";
import { receive } from "./receive.ts";

export interface AttemptToStart {
  /** Jobs in progress go before new jobs. A message that is delivered twice finds the claim its own. */
  claim(): Promise<ClaimOutcome>;
  /** If the engine does not know the attempt before, it was lost: what only it would have published is published again. */
  start(claim: Claimed): Promise<void>;
}

/** The Service Bus function of the scheduler's queue: the supervisor or an operator requests a job's next attempt here. */
export function onStartAttempt(application: App, work: (next: AttemptToStart) => Promise<void>) {
  const afterLoss = createLossHandler();
  const subjectOf = ({ jobId, attempt, direction }: Partial<StartAttempt>) => {
    return { jobId: jobId ?? null, attempt: attempt ?? null, direction: direction ?? null };
  };
  return receive(application, { queue: QUEUES.scheduler, subjectOf }, ({ body }, context, invocation) => {
    const asked = parseStartAttempt(body);
    return work({
      async claim() {
        await context.admission.admit("begun");
        return claimJob(asked, context);
      },
      async start(claim) {
        const isKnown = await startClaimed(engineClient(invocation), claim, context);
        if (!isKnown) await afterLoss(claim.attempt, context);
      },
    });
  });
}

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
