// The request of a step to its agent: the same in a call and in a message.

import type { AgentRequest, JobView } from "../../agents/agent.ts";
import { type Job, lacksSecrets } from "../../domain/content/job.ts";
import { secretValuesOf } from "../../domain/content/redactor.ts";
import { idempotencyKey } from "../../domain/record/idempotency-key.ts";
import { runOf } from "../../domain/record/plan.ts";
import type { Awaited } from "../../domain/record/state-record.ts";
import type { StepTask } from "../../domain/steps/attempt.ts";
import { ticketOf } from "../../messaging/agent-messages.ts";
import { contractOf } from "../../messaging/contract.ts";
import { throwingWithout } from "../code-fault.ts";
import type { Ports } from "../ports.ts";
import { type Begun, beginStep } from "./begin-step.ts";

export interface StepRequest {
  /** It contains only the members of the job that the agent has declared. */
  readonly request: AgentRequest<JobView>;
  /** What no answer may repeat: the values of the job's secrets, and what opens the step's completion. */
  readonly secrets: readonly string[];
  /** The job is over and its secrets are removed: no request is made any more. */
  readonly isClosed: boolean;
  readonly begun: Begun;
}

/** @param awaited the accepted run whose status is requested from its service */
export async function requestOf(asked: StepTask, ports: Ports, awaited?: Awaited): Promise<StepRequest> {
  const job = await ports.store.job(asked.jobId, asked.jobRevision);
  const names = contractOf(job, ports.rules.contracts).secrets;
  return throwingWithout(
    () => secretValuesOf(job, names),
    () => requestFor(job, names, asked, ports, awaited),
  );
}

async function requestFor(
  job: Job,
  names: readonly string[],
  asked: StepTask,
  ports: Ports,
  awaited: Awaited | undefined,
): Promise<StepRequest> {
  const isClosed = lacksSecrets(job, names);
  const begun: Begun = isClosed ? { kind: "begun", task: asked, item: null } : await beginStep(asked, job, ports);
  const { task } = begun;
  const { jobId, step, direction, record, results } = task;
  const reference = record.accepted?.reference;
  const isNotRepeated = ports.agents.get(task.agent)?.isNotRepeated?.(task.operation) ?? false;
  const compensates = {
    result: record.result,
    idempotencyKey: idempotencyKey(jobId, step, "forward", record),
    ...(reference !== undefined && { reference }),
  };
  const request = {
    job: ports.jobFor(task.agent, job),
    results,
    ...(begun.kind === "begun" && begun.item && { item: begun.item }),
    idempotencyKey: idempotencyKey(jobId, step, direction, record),
    compensates: direction === "compensate" ? compensates : null,
    ...(!awaited && wasAskedBefore(task, isNotRepeated) && { mayHaveHappened: true }),
    ...(awaited && { awaited }),
    ...(task.awaitWithin && { completion: { url: ports.completionUrl(ticketOf(task)), within: task.awaitWithin } }),
  };
  const { nonce } = ticketOf(task);
  const secrets = [...secretValuesOf(job, names), ...(nonce === undefined ? [] : [nonce])];
  return { request, secrets, isClosed, begun };
}

/**
 * The service may have done it for an earlier attempt. An agent that takes a step up without a write may have done so with each that was only
 * scheduled; of an operation that must not be repeated the record knows.
 */
function wasAskedBefore({ record, direction }: StepTask, isNotRepeated: boolean): boolean {
  const run = runOf(record, direction);
  if (run === null) return false;
  const { retryCount, waitCount, outcomeUnknown } = run;
  if (isNotRepeated) return outcomeUnknown ?? retryCount > 0;
  return retryCount > 0 || waitCount > 0 || outcomeUnknown === true;
}
