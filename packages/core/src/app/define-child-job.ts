// The declaration of a step that is a job of another workflow (P35): an agent of this app that submits the job, waits for its end, and takes it back.
import { z } from "zod";
import type { AgentRequest, BoundedReply, JobView, RoutedAgent } from "../agents/agent.ts";
import { readBy } from "../agents/declared-results.ts";
import type { Job } from "../domain/job.ts";
import type { StepResult } from "../domain/state-record.ts";
import { childIdOf } from "../submission/child-id.ts";
import type { ChildJobs } from "../submission/child-jobs.ts";
import type { WantedChild } from "../submission/submit-child.ts";
import type { DeclaredItem, LocalAgent, ReadSchemas, ResultsOf } from "./define-agent.ts";
import type { DefinedWorkflow } from "./define-workflow.ts";

/** The content that a step submits: the child's id, workflow and priority are filled in. The priority is the parent's, if it names none. */
type Submitted<Content> = Omit<Content, "workflow" | "priority"> & { readonly priority?: Job["priority"] };

/** `unknown` where each member of the result is an output of the workflow that fits. */
type OutputsFit<Outputs, Result> = {
  [name in keyof Result & string]: name extends keyof Outputs
    ? Outputs[name] extends Result[name]
      ? never
      : name
    : name;
}[keyof Result & string] extends infer Unfit
  ? [Unfit] extends [never]
    ? unknown
    : { readonly isNoSuchOutputOfTheWorkflow: Unfit }
  : never;

/** The child's id. */
type OfChild = { readonly childJobId: string };

/** What the step records: the outputs of the child's workflow, and the child's id. */
type ChildResults<Result extends z.ZodType> = {
  readonly run: z.ZodType<Extract<z.output<Result> & OfChild, StepResult>, z.input<Result> & OfChild>;
  readonly takeBack: z.ZodType<OfChild & { readonly state: string }>;
};

/** Then each pause is a twentieth of the wait so far: see domain/poll.ts. */
const FIRST_POLL_MS = 1000;
/** After an outage, and where there was no room. */
const SUBMITTED_AGAIN_MS = 5000;

const ROUTE = { endpoint: "this app", because: "its agent submits a child" } as const;

/**
 * A step that submits a job of another workflow of this app and waits for its end. A workflow names it as
 * `{ agent: name, operation: "run", awaitWithin: "P1D", compensation: { operation: "takeBack", awaitWithin: "P1D", … }, … }`. The child has the parent's
 * owner and priority, and an id that follows from the parent's id and the step: however often the step is tried, there is one child. If the child is
 * not done, the step is rejected.
 */
export function defineChildJob<
  const Name extends string,
  Content extends Job,
  Seen extends JobView,
  ChildContent extends Job,
  Outputs,
  Result extends z.ZodObject & z.ZodType<StepResult>,
  // biome-ignore lint/complexity/noBannedTypes: it reads nothing.
  Reads extends ReadSchemas = {},
  Item extends z.ZodType<StepResult> = z.ZodType<StepResult>,
>(declared: {
  /** An identifier: it is part of the names of functions. */
  readonly name: Name;
  /** The child's workflow, as `defineWorkflow` returned it. A job starts with the newest version of it. */
  readonly workflow: DefinedWorkflow<string, ChildContent, Outputs>;
  /** The members of the parent's content that the child's content depends on. */
  readonly sees: (content: Content) => Seen;
  /** The results of the parent's steps that it depends on. */
  readonly reads?: Reads;
  /** The item of a step with `forEach`. */
  readonly item?: Item;
  /** Pure: no input or output, clock or randomness. It is computed again by each try, and has to be the same. */
  readonly content: (given: {
    /** The child's id, for the member of the content that is its id. */
    readonly childJobId: string;
    readonly job: Seen;
    readonly results: ResultsOf<Reads>;
    readonly item?: z.output<NoInfer<Item>> | undefined;
  }) => Submitted<NoInfer<ChildContent>>;
  /** The outputs of the child's workflow that the step records. */
  readonly result: Result & OutputsFit<NoInfer<Outputs>, z.input<NoInfer<Result>>>;
}): LocalAgent<Name, ChildResults<Result>, Content, Reads> & DeclaredItem<Item, "run" | "takeBack"> {
  const { name, workflow, sees, reads, item: itemSchema, content, result } = declared;
  const childJobId = z.string();
  const results = {
    run: (result as z.ZodObject).extend({ childJobId }),
    takeBack: z.object({ childJobId, state: z.string() }),
  };
  const items = itemSchema && { run: itemSchema, takeBack: itemSchema };
  const reading = { name, operations: {}, reads: reads ?? {}, ...(items && { items }) };
  const wantedBy = (asked: AgentRequest): WantedChild => {
    const { job, results: read, item } = readBy(reading, asked, "run");
    const id = childIdOf(asked.compensates?.idempotencyKey ?? asked.idempotencyKey);
    const given = { childJobId: id.jobId, job: job as Seen, results: read as ResultsOf<Reads>, item: item as never };
    return { id, workflow: workflow.name, content: () => content(given) };
  };
  const create = ({ childJobs }: { readonly childJobs?: ChildJobs | undefined }): RoutedAgent => ({
    name,
    operationNames: Object.keys(results),
    async call(operation, request, { takeUp }) {
      if (!childJobs) throw new Error(`agent ${name} submits jobs, and was created without what submits them`);
      if ((await takeUp()) === undefined) return { kind: "notTakenUp" };
      const wanted = wantedBy(request);
      switch (operation) {
        case "run":
          return run(wanted, request, childJobs);
        case "takeBack":
          return takeBack(wanted, request, childJobs);
        default:
          throw new Error(`agent ${name} has no operation ${operation}`);
      }
    },
  });
  const agent = { kind: "local", name, results, transports: ["activity"], seen: sees, create, submits: workflow.name };
  return { ...agent, ...(reads && { reads }), ...(items && { items }) } as unknown as LocalAgent<
    Name,
    ChildResults<Result>,
    Content,
    Reads
  > &
    DeclaredItem<Item, "run" | "takeBack">;
}

/** A child that was recorded is read alone: one that was removed since is not submitted again. */
async function run(wanted: WantedChild, { awaited }: AgentRequest, childJobs: ChildJobs): Promise<BoundedReply> {
  const { jobId } = wanted.id;
  const isSubmitted = awaited?.reference !== undefined;
  const seen = isSubmitted ? await childJobs.look(wanted.id) : await childJobs.submit(wanted);
  switch (seen.kind) {
    case "processed":
      return { kind: "done", result: { ...seen.outputs, childJobId: jobId }, ...ROUTE };
    case "going": {
      const child = { jobId, ...(seen.waitsFor !== undefined && { waitsFor: seen.waitsFor }) };
      return { kind: "pending", retryAfterMs: FIRST_POLL_MS, reference: jobId, child, ...ROUTE };
    }
    case "takenBack":
      return { kind: "rejected", message: seen.message, outcomeUnknown: false, ...ROUTE };
    case "rejected":
      return { kind: "rejected", message: seen.message, outcomeUnknown: seen.outcomeUnknown, ...ROUTE };
    case "gone":
      return { kind: "rejected", message: `child ${jobId} is not there any more`, outcomeUnknown: true, ...ROUTE };
    case "later":
      return {
        kind: "pending",
        retryAfterMs: SUBMITTED_AGAIN_MS,
        child: { jobId, waitsFor: `it is not submitted yet: ${seen.message}` },
        ...ROUTE,
      };
    default:
      return seen satisfies never;
  }
}

async function takeBack(wanted: WantedChild, request: AgentRequest, childJobs: ChildJobs): Promise<BoundedReply> {
  const { jobId } = wanted.id;
  const { result, reference } = request.compensates ?? {};
  const wasSubmitted = (result ?? null) !== null || reference !== undefined;
  const taken = await childJobs.takeBack(wanted, wasSubmitted);
  switch (taken.kind) {
    case "takenBack":
      return { kind: "done", result: { childJobId: jobId, state: taken.state }, ...ROUTE };
    case "going": {
      const child = { jobId, ...(taken.waitsFor !== undefined && { waitsFor: taken.waitsFor }) };
      return { kind: "pending", retryAfterMs: FIRST_POLL_MS, reference: jobId, child, ...ROUTE };
    }
    case "rejected":
      return { kind: "rejected", message: taken.message, ...ROUTE };
    default:
      return taken satisfies never;
  }
}
