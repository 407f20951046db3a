// The declaration of an app's workflows (P5): data, with types from its agents and its rules.
import type { z } from "zod";
import type { Workflow, WorkflowStep } from "../domain/workflow.ts";
import type { WorkflowRules } from "../domain/workflow-rules.ts";
import type { AnyAgent } from "./define-agent.ts";

type OperationOf<One extends AnyAgent> = keyof One["results"] & string;

type Compensation<One extends AnyAgent> =
  | Exclude<WorkflowStep["compensation"], object>
  | (Extract<WorkflowStep["compensation"], object> & { readonly operation: OperationOf<One> });

/** A step of one of these agents. It may name only steps of `Names` and declared rules. */
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
      readonly when?: keyof Rules["conditions"] & string;
      readonly forEach?: keyof Rules["lists"] & string;
    }
  : never;

/** The result of such a step's operation. */
type ResultOf<One extends AnyAgent, Step> = Step extends {
  readonly agent: infer Name;
  readonly operation: infer Operation;
}
  ? Extract<One, { readonly name: Name }>["results"][Operation & string]
  : never;

/** `step.member`, for each member of a step's result. */
type Source<One extends AnyAgent, Step> = Step extends { readonly name: infer Name extends string }
  ? `${Name}.${keyof z.output<ResultOf<One, Step>> & string}`
  : never;

/** Each named step must exist, and unknown members do not compile. */
type NamedAmong<Steps extends readonly { readonly name: string }[]> = {
  readonly [at in keyof Steps]: Steps[at] & {
    readonly after: readonly Steps[number]["name"][];
    readonly needs?: readonly Steps[number]["name"][];
    readonly otherwise?: Steps[number]["name"];
  } & { readonly [strange in Exclude<keyof Steps[at], keyof WorkflowStep>]: never };
};

/** A `Workflow` with the types of its steps: see `workflowsOf`. */
export interface TypedWorkflow<One extends AnyAgent, Steps extends readonly { readonly name: string }[]>
  extends Pick<Workflow, "name" | "version" | "policy" | "inOneActivity"> {
  readonly steps: NamedAmong<Steps>;
  readonly outputs?: { readonly [name: string]: Source<One, NoInfer<Steps>[number]> };
  readonly cancelUntil?: NoInfer<Steps>[number]["name"];
}

/**
 * Declares workflows of these agents. A workflow that names an undeclared agent, operation, step, result or rule does not compile. The
 * app checks all other faults when it starts (domain/workflow-faults.ts).
 */
export function workflowsOf<const Agents extends readonly AnyAgent[], const Rules extends WorkflowRules>(
  _agents: Agents,
  _rules: Rules,
): <const Steps extends readonly StepOf<Agents[number], string, Rules>[]>(
  workflow: TypedWorkflow<Agents[number], Steps>,
) => Workflow {
  return (workflow) => workflow;
}
