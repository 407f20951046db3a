// The declaration of an app's workflows (P5): data, with types from its agents and its rules.
import type { Workflow, WorkflowStep } from "../domain/definition/workflow.ts";
import type { WorkflowRules } from "../domain/workflows/workflow-rules.ts";
import type { ContentOf, Contracts } from "../messaging/contract.ts";
import type { AnyAgent } from "./define-agent.ts";
import type { MembersFit, ResultOf, StepFits } from "./workflow-types.ts";

type OperationOf<One extends AnyAgent> = keyof One["results"] & string;

type Compensation<One extends AnyAgent> =
  | Exclude<WorkflowStep["compensation"], object>
  | (Extract<WorkflowStep["compensation"], object> & { readonly operation: OperationOf<One> });

/** Any text, where an editor offers those that are known: `StepFits` says in words what is wrong with another. */
type OneOf<Known extends string> = Known | (string & {});

/** A step of one of these agents. It may name only steps of `Names`. */
export type StepOf<One extends AnyAgent, Names extends string, Rules extends WorkflowRules> = One extends AnyAgent
  ? Omit<
      WorkflowStep,
      "name" | "agent" | "operation" | "compensation" | "after" | "needs" | "otherwise" | "when" | "forEach"
    > & {
      readonly name: string;
      readonly agent: One["name"];
      readonly operation: OperationOf<One>;
      readonly compensation: Compensation<One>;
      readonly after: readonly Names[];
      readonly needs?: readonly Names[];
      readonly otherwise?: Names;
      readonly when?: OneOf<keyof Rules["conditions"] & string>;
      /** A list of the content by its name, or `step.member` of the result of a step before it. */
      readonly forEach?: OneOf<keyof Rules["lists"] & string>;
    }
  : never;

/** `step.member`, for each member of a step's result. A step with `forEach` has no one result. */
type Source<One extends AnyAgent, Step> = Step extends { readonly forEach: string }
  ? never
  : Step extends { readonly name: infer Name extends string }
    ? `${Name}.${keyof ResultOf<One, Step> & string}`
    : never;

/** Each named step must exist, unknown members do not compile, and neither does a step that does not fit those before it. */
type NamedAmong<
  One extends AnyAgent,
  Steps extends readonly { readonly name: string }[],
  Rules extends WorkflowRules,
  Content,
> = {
  readonly [at in keyof Steps]: Steps[at] & {
    readonly after: readonly Steps[number]["name"][];
    readonly needs?: readonly Steps[number]["name"][];
  } & MembersFit<Steps[at]> &
    StepFits<One, Steps, Steps[at], Rules, Content>;
};

/** A `Workflow` with the types of its steps: see `workflowsOf`. */
export interface TypedWorkflow<
  One extends AnyAgent,
  Steps extends readonly { readonly name: string }[],
  Rules extends WorkflowRules = WorkflowRules,
  App extends Contracts = Contracts,
  Name extends string = string,
> extends Pick<Workflow, "version" | "policy" | "deadline"> {
  readonly name: Name;
  readonly steps: NamedAmong<One, Steps, Rules, ContentOf<App, NoInfer<Name>>>;
  readonly outputs?: { readonly [name: string]: Source<One, NoInfer<Steps>[number]> };
  readonly cancelUntil?: NoInfer<Steps>[number]["name"];
}

/** A workflow whose steps' names its type knows: `defineApp` compares what agents read with them. */
export type DefinedWorkflow<Names extends string> = Workflow & {
  readonly steps: readonly (WorkflowStep & { readonly name: Names })[];
};

/**
 * Declares workflows of these agents. A workflow that names an undeclared agent, operation, step, result or rule does not compile; nor one whose
 * agent or condition reads a result that no step before it has, or takes another content than the workflow's contract. The app checks all other
 * faults when it starts (domain/workflows/workflow-faults.ts).
 * @param _contracts without them the content is not compared
 */
export function workflowsOf<
  const Agents extends readonly AnyAgent[],
  const Rules extends WorkflowRules,
  const App extends Contracts = Contracts,
>(
  _agents: Agents,
  _rules: Rules,
  _contracts?: App,
): <const Name extends string, const Steps extends readonly StepOf<Agents[number], string, Rules>[]>(
  workflow: TypedWorkflow<Agents[number], Steps, Rules, App, Name>,
) => DefinedWorkflow<Steps[number]["name"]> {
  return (workflow) => workflow as never;
}
