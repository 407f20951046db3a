// What an agent is asked of a step: the same whether it is called or asked by a message.

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
  /** Of the job it has what the agent has declared. */
  readonly request: AgentRequest<JobView>;
  /** The job is over and its secrets are removed: nothing is to be asked any more. */
  readonly isClosed: boolean;
  readonly begun: Begun;
}

/** @param awaited of what was accepted: its service is asked what has become of it */
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

/** An earlier attempt, or a run of this very task that died, may have had the service do it. */
function wasAskedBefore({ record, direction }: StepTask): boolean {
  const run = runOf(record, direction);
  return (
    run !== null &&
    (run.retryCount > 0 || run.waitCount > 0 || (direction === "forward" && record.outcomeUnknown === true))
  );
}
