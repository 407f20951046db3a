// The request of a step to its agent, the same in a call and in a message; before it the decisions of its condition and its list (P6, P23).

import type { AgentRequest, JobView } from "../../agents/agent.ts";
import { type Job, lacksSecrets } from "../../domain/content/job.ts";
import { secretValuesOf } from "../../domain/content/redactor.ts";
import type { Decided } from "../../domain/definition/skipped.ts";
import { instant } from "../../domain/duration.ts";
import { appCode } from "../../domain/outage.ts";
import { idempotencyKey } from "../../domain/record/idempotency-key.ts";
import { runOf } from "../../domain/record/plan.ts";
import type { Awaited, ReadResults, StateRecord } from "../../domain/record/state-record.ts";
import type { StepTask } from "../../domain/steps/attempt.ts";
import { isToBeListed } from "../../domain/steps/listed-runs.ts";
import type { Answer } from "../../domain/steps/step-answer.ts";
import { awaits, withDecision } from "../../domain/steps/step-end.ts";
import type { Item } from "../../domain/workflows/workflow-rules.ts";
import { ticketOf } from "../../messaging/agent-messages.ts";
import { contractOf } from "../../messaging/contract.ts";
import { change } from "../change.ts";
import { throwingWithout } from "../code-fault.ts";
import type { Asking } from "../ports.ts";

export interface StepRequest {
  /** It contains only the members of the job that the agent has declared. */
  readonly request: AgentRequest<JobView>;
  /** What no answer may repeat: the values of the job's secrets, and what opens the step's completion. */
  readonly secrets: readonly string[];
  /** The job is over and its secrets are removed: no request is made any more. */
  readonly isClosed: boolean;
  readonly begun: Begun;
}

/** The input of its agent besides the job. */
export type Begun =
  | { readonly kind: "begun"; readonly task: StepTask; readonly item: Item | null }
  /** Its condition is false: it is not done. */
  | { readonly kind: "skipped"; readonly task: StepTask; readonly message: string }
  /** Its list can't be used: a later try would have the same result. */
  | { readonly kind: "rejected"; readonly task: StepTask; readonly message: string }
  /** The step does not belong to this task any more: nothing may follow from what its condition says now. */
  | { readonly kind: "superseded"; readonly task: StepTask };

/** The recorded answer of a step whose agent was not called. */
export function unasked({ kind, message }: Exclude<Begun, { kind: "begun" | "superseded" }>): Answer {
  return kind === "skipped"
    ? { kind, message }
    : { kind, message, endpoint: "none", because: "its agent was not asked" };
}

/** @param awaited the accepted run whose status is requested from its service */
export async function requestOf(asked: StepTask, ports: Asking, awaited?: Awaited): Promise<StepRequest> {
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
  ports: Asking,
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
    job: appCode(`what ${task.agent} sees`, () => ports.jobFor(task.agent, job)),
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

/**
 * Order of writes: the result of the condition, then (by the caller) the request to the agent, or the step's end as skipped. Whoever runs the same
 * task again, or beside this run, finds the decision in the record. A step without condition or list costs nothing here.
 */
async function beginStep(task: StepTask, job: Job, ports: Asking): Promise<Begun> {
  const { when, record: recorded } = task;
  const { item = null } = recorded;
  if (task.direction === "compensate") return { kind: "begun", task, item };
  // No agent is called for a step without the item that it is for.
  if (isToBeListed({ name: task.step, forEach: task.forEach }))
    return { kind: "rejected", task, message: recorded.listFault ?? `${task.forEach} is not recorded` };
  if (when === undefined) return { kind: "begun", task, item };
  const decided = recorded.decided ?? (await decideOnce(task, when, { job, results: task.results, item }, ports));
  if (!decided) return { kind: "superseded", task };
  const record = { ...recorded, decided };
  const message = `${when} does not hold`;
  return decided.holds
    ? { kind: "begun", task: { ...task, record }, item }
    : { kind: "skipped", task: { ...task, record }, message };
}

type Deciding = {
  readonly job: Job;
  readonly results: ReadResults;
  readonly item: Item | null;
};

/** The recorded decision, or the one that is recorded now. Undefined if the step does not belong to this task any more, and nothing was decided. */
async function decideOnce(
  task: StepTask,
  condition: string,
  situation: Deciding,
  ports: Asking,
): Promise<Decided | undefined> {
  let found: Decided | undefined;
  const decide = (record: StateRecord) => {
    const own = record.steps[task.step];
    found = own?.decided;
    if (!own || found || !awaits(record, task)) return undefined;
    found = { condition, holds: holds(condition, situation, ports), at: instant(ports.now()) };
    return withDecision(record, task.step, found);
  };
  await change(task.jobId, decide, ports);
  return found;
}

function holds(condition: string, situation: Deciding, ports: Asking): boolean {
  const { conditions } = ports.workflows.rules;
  const ask = Object.hasOwn(conditions, condition) ? conditions[condition] : undefined;
  return appCode(`condition ${condition}`, () => {
    if (!ask) throw new Error("there is none");
    return ask(situation as never);
  });
}
