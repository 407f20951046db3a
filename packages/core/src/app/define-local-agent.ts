// The declaration of agents without a service (P6): their operations run in this app. A rule is one whose operation is a pure function.
import type { z } from "zod";
import type { Agent, AgentRequest, JobView, RoutedAgent } from "../agents/agent.ts";
import { readBy } from "../agents/declared-results.ts";
import type { Job } from "../domain/content/job.ts";
import type { Transport } from "../domain/definition/workflow.ts";
import type { StepResult } from "../domain/record/state-record.ts";
import type {
  AgentResources,
  DeclaredItem,
  ItemOf,
  LocalAgent,
  OwnReplies,
  ReadSchemas,
  ResultSchemas,
  ResultsOf,
} from "./define-agent.ts";

/** What came of an operation in this app. It throws where it can't be done now: the step is then tried again within its budget. */
export type LocalReply<Result = StepResult> =
  | { readonly kind: "done"; readonly result: Result }
  /** It ends later, and is reported then: see `AgentReply`. */
  | { readonly kind: "accepted"; readonly reference?: string }
  /** Another try would have the same end (P9). */
  | { readonly kind: "rejected"; readonly message: string };

type LocalOperation<Seen extends JobView, Read, Result, Item = StepResult> = (
  request: AgentRequest<Seen, Read, Item>,
  resources: AgentResources,
) => Promise<LocalReply<Result>>;

const BOTH: readonly Transport[] = ["activity", "queue"];
const ROUTE = { endpoint: "this app", because: "its agent has no service" } as const;

/**
 * An agent of this app without a remote service, for a resource that the app has itself. An operation is called once the step is taken up, and again
 * after a crash: the same idempotency key must have one effect.
 */
export function defineLocalAgent<
  const Name extends string,
  Results extends ResultSchemas,
  Content extends Job = never,
  Seen extends JobView = JobView,
  // biome-ignore lint/complexity/noBannedTypes: it reads nothing.
  Reads extends ReadSchemas = {},
  // biome-ignore lint/complexity/noBannedTypes: its items are not declared.
  Items extends { readonly [operation in keyof Results]?: z.ZodType<StepResult> } = {},
>(declared: {
  /** An identifier: it is part of the names of functions. */
  readonly name: Name;
  /** The members of the content that it receives; the id if absent. */
  readonly seen?: (content: Content) => Seen;
  /** The results of other steps that it uses. */
  readonly reads?: Reads;
  /** The item that an operation gets of a step with `forEach`. */
  readonly items?: Items;
  readonly results: Results;
  readonly operations: {
    readonly [operation in keyof Results]: LocalOperation<
      Seen,
      ResultsOf<Reads>,
      z.input<Results[operation]>,
      ItemOf<NoInfer<Items>, operation>
    >;
  };
  /** The transports that its steps may use; both if absent. */
  readonly transports?: readonly Transport[];
  /** Where it is said that what it accepted has ended. */
  readonly replies?: OwnReplies;
}): LocalAgent<Name, Results, Content, Reads> & { readonly items?: Items } {
  const { name, results, operations, seen, reads, items, transports = BOTH, replies } = declared;
  const operationOf = operations as {
    readonly [name: string]: LocalOperation<never, never, StepResult, never> | undefined;
  };
  const reading = {
    name,
    operations: {},
    reads: reads ?? {},
    ...(items && { items: items as Agent["items"] & object }),
  };
  const create = (resources: AgentResources): RoutedAgent => ({
    name,
    operationNames: Object.keys(results),
    async call(operation, request, { takeUp }) {
      const run = Object.hasOwn(operations, operation) ? operationOf[operation] : undefined;
      if (!run) throw new Error(`agent ${name} has no operation ${operation}`);
      if ((await takeUp()) === undefined) return { kind: "notTakenUp" };
      const read = readBy(reading, request, operation);
      return { ...(await run(read as never, resources)), ...ROUTE };
    },
  });
  const given = {
    ...(seen && { seen }),
    ...(reads && { reads }),
    ...(items && { items }),
    ...(replies && { replies }),
  };
  return { kind: "local", name, results, transports, create, ...given };
}

/** A rule's answer where the job can't go on: see {@link reject}. */
export class Rejected {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** For `run` of a rule: rejects the job, as a service would (P9). The message is recorded. */
export function reject(message: string): Rejected {
  return new Rejected(message);
}

/**
 * A rule as a step: a pure function of the content and of the results before it. Its result is recorded once, and is not computed again. A workflow
 * names it as `{ agent: name, operation: "decide", compensation: "nothing" }`.
 */
export function rule<
  const Name extends string,
  Content extends Job,
  Seen extends JobView,
  Result extends z.ZodType<StepResult>,
  // biome-ignore lint/complexity/noBannedTypes: it reads nothing.
  Reads extends ReadSchemas = {},
  Item extends z.ZodType<StepResult> = z.ZodType<StepResult>,
>(declared: {
  /** An identifier: it is part of the names of functions. */
  readonly name: Name;
  /** The members of the content that it depends on. */
  readonly sees: (content: Content) => Seen;
  /** The results of the steps that it depends on. */
  readonly reads?: Reads;
  /** The item of a step with `forEach`. */
  readonly item?: Item;
  readonly result: Result;
  /** Pure: no input or output, clock or randomness. */
  readonly run: (given: {
    readonly job: Seen;
    readonly results: ResultsOf<Reads>;
    readonly item?: z.output<NoInfer<Item>> | undefined;
  }) => z.input<Result> | Rejected;
}): LocalAgent<Name, { readonly decide: Result }, Content, Reads> & DeclaredItem<Item, "decide"> {
  const { name, sees, reads, item: itemSchema, result, run } = declared;
  const decide = async ({ job, results, item }: AgentRequest<Seen, ResultsOf<Reads>, z.output<Item>>) => {
    const found = run({ job, results, item });
    if (found instanceof Rejected) return { kind: "rejected", message: found.message } as const;
    return { kind: "done", result: found } as const;
  };
  const results = { decide: result };
  const agent = defineLocalAgent<Name, typeof results, Content, Seen, Reads, { readonly decide: Item }>({
    ...{ name, seen: sees, results },
    ...(reads && { reads }),
    ...(itemSchema && { items: { decide: itemSchema } }),
    operations: { decide: decide as never },
  });
  return agent as typeof agent & DeclaredItem<Item, "decide">;
}
