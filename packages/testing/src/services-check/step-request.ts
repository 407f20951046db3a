// The requests of a check: those that a workflow's step would make, for a job of its own, with the results that the agent reads.
import { randomBytes } from "node:crypto";
import type {
  AgentRequest,
  AnyAgent,
  CompensationTarget,
  ReadResult,
  StepResult,
} from "@scheduler-agent-supervisor/core/agents";
import type { Business, Job } from "@scheduler-agent-supervisor/core/app";
import {
  type Direction,
  idempotencyKey,
  itemsOf,
  type ReadResults,
  sourceOf,
} from "@scheduler-agent-supervisor/core/domain";
import { contractFor, idNameOf } from "@scheduler-agent-supervisor/core/messaging";
import type { Workflow, WorkflowStep } from "@scheduler-agent-supervisor/core/workflows";

/** A step that uses an operation, with content for its workflow. */
export interface Use {
  readonly workflow: Workflow;
  readonly step: WorkflowStep;
  readonly content: object;
  /** The operation is the step's compensation. */
  readonly isCompensation: boolean;
}

/** Of the newest versions of the workflows that there is content for, the first step that uses the operation. */
export function useOf(
  { workflows }: Business,
  agent: string,
  operation: string,
  contents: ReadonlyMap<string, object>,
): Use | undefined {
  const newest = workflows.filter(
    ({ name, version }) => !workflows.some((other) => other.name === name && other.version > version),
  );
  const uses = newest.flatMap((workflow) => {
    const content = contents.get(workflow.name);
    if (!content) return [];
    return workflow.steps.flatMap((step): Use[] => {
      if (step.agent !== agent) return [];
      const isCompensation = typeof step.compensation === "object" && step.compensation.operation === operation;
      return step.operation === operation || isCompensation
        ? [{ workflow, step, content, isCompensation: step.operation !== operation }]
        : [];
    });
  });
  return uses[0];
}

/** The first content of each workflow that its contract accepts, by the workflow's name; and why the others are not accepted. */
export function acceptedContents(
  { contracts }: Business,
  contents: readonly object[],
): { readonly accepted: ReadonlyMap<string, object>; readonly faults: readonly string[] } {
  const accepted = new Map<string, object>();
  const faults: string[] = [];
  for (const content of contents) {
    const { workflow = contracts.usualWorkflow } = content as { readonly workflow?: unknown };
    const { schema } = contractFor(String(workflow), contracts);
    const named = { [idNameOf(contracts)]: "services-check", ...content };
    const parsed = schema.safeParse(named);
    if (!parsed.success) {
      faults.push(...parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the content"}: ${message}`));
    } else if (!accepted.has(parsed.data.workflow)) accepted.set(parsed.data.workflow, named);
  }
  return { accepted, faults };
}

/** One job of a check: nothing else has its id, nor its keys. */
export interface CheckJob {
  readonly id: string;
  readonly content: Job;
}

export function newJob({ contracts }: Business, { workflow, content }: Use): CheckJob {
  const id = `check-${randomBytes(6).toString("hex")}`;
  const named = { ...content, [idNameOf(contracts)]: id };
  return { id, content: contractFor(workflow.name, contracts).schema.parse(named) };
}

const keyOf = ({ id }: CheckJob, { name }: WorkflowStep, direction: Direction): string =>
  idempotencyKey(id, name, direction, { generation: 1 });

/** Does a step that the agent reads, or says why not: it is done by its own agent. */
export type Prepare = (step: WorkflowStep, job: CheckJob) => Promise<ReadResult | { readonly missing: string }>;

/** The results that the agent reads, and the one with the list that its step is for; and the reasons for those that there are none of. */
export async function readsFor(
  agent: { readonly reads?: Extract<AnyAgent, { readonly kind: "service" }>["reads"] },
  { workflow, step }: Use,
  job: CheckJob,
  given: ReadResults,
  prepare: Prepare,
): Promise<{ readonly results: ReadResults; readonly missing: readonly string[] }> {
  const results: Record<string, ReadResult> = {};
  const missing: string[] = [];
  const source = sourceOf(step.forEach);
  for (const name of new Set([...Object.keys(agent.reads ?? {}), ...(source ? [source.step] : [])])) {
    const own = given[name];
    const read = workflow.steps.find((other) => other.name === name && other !== step);
    if (own !== undefined) results[name] = own;
    else if (read && isBefore(read, step, workflow)) {
      const made = await prepare(read, job);
      if (isMissing(made)) missing.push(`${name}: ${made.missing}`);
      else results[name] = made;
    }
  }
  return { results, missing };
}

const isMissing = (made: object): made is { readonly missing: string } =>
  "missing" in made && typeof made.missing === "string" && Object.keys(made).length === 1;

function isBefore(read: WorkflowStep, step: WorkflowStep, { steps }: Workflow): boolean {
  return step.after.some((name) => {
    const before = steps.find((other) => other.name === name);
    return before !== undefined && (before === read || isBefore(read, before, { steps } as Workflow));
  });
}

export interface RequestOptions {
  readonly business: Business;
  readonly use: Use;
  readonly job: CheckJob;
  readonly results: ReadResults;
  /** Where a step that is done later is to be reported. */
  readonly reportTo: string;
  readonly compensates?: CompensationTarget;
}

function itemsFor({ business, use: { step }, job, results }: RequestOptions): readonly StepResult[] {
  if (step.forEach === undefined) return [];
  const source = sourceOf(step.forEach);
  if (!source) return itemsOf(step.forEach, job.content, business.rules);
  const list = (results[source.step] as StepResult | undefined)?.[source.member];
  return Array.isArray(list) ? list : [];
}

/** As the scheduler makes it. */
export function requestOf(options: RequestOptions): AgentRequest {
  const { business, use, job, results, reportTo, compensates } = options;
  const { step } = use;
  const { awaitWithin } = compensates && typeof step.compensation === "object" ? step.compensation : step;
  const [item] = itemsFor(options);
  return {
    job: business.contentFor(step.agent, job.content),
    results,
    ...(item && { item }),
    idempotencyKey: keyOf(job, step, compensates ? "compensate" : "forward"),
    compensates: compensates ?? null,
    ...(awaitWithin !== undefined && { completion: { url: reportTo, within: awaitWithin } }),
  };
}
