// The request of a step to its agent: the same in a call and in a message.

import type { AgentRequest, JobView } from "../agents/agent.ts";
import type { StepTask } from "../domain/attempt.ts";
import { lacksSecrets } from "../domain/job.ts";
import { runOf } from "../domain/plan.ts";
import { type Awaited, idempotencyKey } from "../domain/state-record.ts";
import { ticketOf } from "../messaging/agent-messages.ts";
import { contractOf } from "../messaging/contract.ts";
import { type Begun, beginStep } from "./begin-step.ts";
import type { Ports } from "./ports.ts";

export interface StepRequest {
  /** It contains only the members of the job that the agent has declared. */
  readonly request: AgentRequest<JobView>;
  /** The job is over and its secrets are removed: no request is made any more. */
  readonly isClosed: boolean;
  readonly begun: Begun;
}

/** @param awaited the accepted run whose status is requested from its service */
export async function requestOf(asked: StepTask, ports: Ports, awaited?: Awaited): Promise<StepRequest> {
  const job = await ports.store.job(asked.jobId, asked.jobRevision);
  const isClosed = lacksSecrets(job, contractOf(job, ports.rules.contracts).secrets);
  const begun: Begun = isClosed ? { kind: "begun", task: asked, item: null } : await beginStep(asked, job, ports);
  const { task } = begun;
  const { jobId, step, direction, record, results } = task;
  const { generation } = record;
  const reference = record.accepted?.reference;
  const compensates = {
    result: record.result,
    idempotencyKey: idempotencyKey(jobId, step, "forward", generation),
    ...(reference !== undefined && { reference }),
  };
  const request = {
    job: ports.jobFor(task.agent, job),
    results,
    ...(begun.kind === "begun" && begun.item && { item: begun.item }),
    idempotencyKey: idempotencyKey(jobId, step, direction, generation, runOf(record, direction)?.keyWord),
    compensates: direction === "compensate" ? compensates : null,
    ...(!awaited && wasAskedBefore(task) && { mayHaveHappened: true }),
    ...(awaited && { awaited }),
    ...(task.awaitWithin && { completion: { url: ports.completionUrl(ticketOf(task)), within: task.awaitWithin } }),
  };
  return { request, isClosed, begun };
}

/** The service may have done it for an earlier attempt, or for a run of this same task that crashed. */
function wasAskedBefore({ record, direction }: StepTask): boolean {
  const run = runOf(record, direction);
  return run !== null && (run.retryCount > 0 || run.waitCount > 0 || run.outcomeUnknown === true);
}
