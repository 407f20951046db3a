// What `workflowsOf` checks while an app is compiled: each step's agent and condition against the steps before it, their results and the content.
import type { z } from "zod";
import type { WorkflowStep } from "../domain/definition/workflow.ts";
import type { StepResult } from "../domain/record/state-record.ts";
import type { WorkflowRules } from "../domain/workflows/workflow-rules.ts";
import type { AnyAgent, ReadSchemas } from "./define-agent.ts";

type Named = { readonly name: string };

/** The steps that have ended when that one begins. */
type Before<Steps extends readonly Named[], Name extends string, Found extends string = never> = [
  Exclude<AfterOf<Steps[number], Name>, Found>,
] extends [never]
  ? Found
  : Before<Steps, Exclude<AfterOf<Steps[number], Name>, Found>, Found | AfterOf<Steps[number], Name>>;

type AfterOf<Step, Name extends string> = Step extends {
  readonly name: Name;
  readonly after: readonly (infer Before)[];
}
  ? Before & string
  : never;

/** The agent of a step. */
type AgentOf<One extends AnyAgent, Step> = Step extends { readonly agent: infer Name }
  ? Extract<One, { readonly name: Name }>
  : never;

/** The result of a step's operation. */
export type ResultOf<One extends AnyAgent, Step> = Step extends { readonly operation: infer Operation }
  ? z.output<AgentOf<One, Step>["results"][Operation & string]>
  : never;

/** What a later step gets of it: an array of a step with `forEach`, with null for a run that was skipped. */
type ReadOf<One extends AnyAgent, Step> = Step extends { readonly forEach: string }
  ? (ResultOf<One, Step> | (Step extends MaySkip ? null : never))[]
  : ResultOf<One, Step>;

type MemberOf<Result, Member> = Member extends keyof Result ? Result[Member] : never;

type MaySkip = { readonly optional: true } | { readonly when: string } | { readonly otherwise: string };

type StepNamed<Steps extends readonly Named[], Name> = Extract<Steps[number], { readonly name: Name }>;

/** The names in `Reads` that no step of `Names` has, or whose step has another result. */
type Unfit<One extends AnyAgent, Steps extends readonly Named[], Reads, Names extends string> = {
  [step in keyof Reads & string]: step extends Names
    ? ReadOf<One, StepNamed<Steps, step>> extends Exclude<Reads[step], undefined>
      ? never
      : `${step} has another result`
    : `${step} is not a step before it`;
}[keyof Reads & string];

/** What an agent reads, by the step's name. */
type ReadsOf<Agent> = "reads" extends keyof Agent
  ? Agent extends { readonly reads?: infer Reads extends ReadSchemas }
    ? string extends keyof Reads
      ? Record<never, never>
      : { [step in keyof Reads]: z.input<Reads[step]> }
    : Record<never, never>
  : Record<never, never>;

/** The steps that agents read, by name. */
export type StepsRead<Agent> = Agent extends unknown ? keyof ReadsOf<Agent> & string : never;

type ContentSeen<Agent> = "seen" extends keyof Agent
  ? Agent extends { readonly seen?: (content: infer Content) => unknown }
    ? Content
    : never
  : never;

type ConditionOf<Rules extends WorkflowRules, Step> = Step extends {
  readonly when: infer Name extends keyof Rules["conditions"] & string;
}
  ? Parameters<Rules["conditions"][Name]>[0]
  : never;

type ListOf<Rules extends WorkflowRules, Step> = Step extends {
  readonly forEach: infer Name extends keyof Rules["lists"] & string;
}
  ? Parameters<Rules["lists"][Name]>[0]
  : never;

/** Whether content of that type may be given for `Wanted`. Where one of them is not known nothing is said. */
type Takes<Wanted, Content> = [Wanted] extends [never]
  ? true
  : [Content] extends [never]
    ? true
    : [Content] extends [Wanted]
      ? true
      : false;

/** A member's own type with the words beside it, or the compiler would say only that its types conflict. */
type Fault<Member extends string, Words> = { readonly [member in Member]: Wrong<Words> };
interface Wrong<Words> {
  readonly because: Words;
}
/** The same, with the names that are known. */
type NoSuch<Member extends string, Words, Known> = { readonly [member in Member]: Unknown<Words, Known> };
interface Unknown<Words, Known> extends Wrong<Words> {
  readonly known: Known;
}
type FaultUnless<Member extends string, Words> = [Words] extends [never] ? unknown : Fault<Member, Words>;

/** `unknown` where the step's agent can take the workflow's content. */
type ContentFits<One extends AnyAgent, Step, Content> =
  Takes<ContentSeen<AgentOf<One, Step>>, Content> extends true
    ? unknown
    : Fault<"agent", "this agent takes the content of another contract">;

/** Of what the agent reads only that which this workflow has: it may stand in several, and each has its own steps. */
type ReadHere<Reads, Names> = { [step in keyof Reads as step extends Names ? step : never]: Reads[step] };

/** `unknown` where the steps that the agent reads have the results that it expects. */
type ReadsFit<One extends AnyAgent, Steps extends readonly Named[], Step> = FaultUnless<
  "agent",
  Unfit<One, Steps, ReadHere<ReadsOf<AgentOf<One, Step>>, Steps[number]["name"]>, Steps[number]["name"]>
>;

type ConditionFits<One extends AnyAgent, Steps extends readonly Named[], Step, Rules extends WorkflowRules, Content> =
  ConditionOf<Rules, Step> extends { readonly job: infer Job; readonly results: infer Results }
    ? Takes<Job, Content> extends false
      ? Fault<"when", "this condition takes the content of another contract">
      : FaultUnless<"when", UnfitCondition<One, Steps, Step, Results>>
    : unknown;

type UnfitCondition<One extends AnyAgent, Steps extends readonly Named[], Step, Results> = Step extends Named
  ? Unfit<One, Steps, Required<Results>, Before<Steps, Step["name"]>>
  : never;

type ListFits<
  One extends AnyAgent,
  Steps extends readonly Named[],
  Step,
  Rules extends WorkflowRules,
  Content,
> = Step extends Named & { readonly forEach: `${infer From}.${infer Member}` }
  ? From extends Before<Steps, Step["name"]>
    ? StepNamed<Steps, From> extends { readonly forEach: string }
      ? Fault<"forEach", `${From} is done for each item, and has no one result`>
      : FaultUnless<"forEach", UnfitList<ResultOf<One, StepNamed<Steps, From>>, From, Member>>
    : Fault<"forEach", `${From} is not a step before it`>
  : Takes<ListOf<Rules, Step>, Content> extends true
    ? unknown
    : Fault<"forEach", "this list takes the content of another contract">;

/** The items that an operation of the agent declares; never where it declares none. */
type ItemWanted<Agent, Operation> = Agent extends { readonly items?: infer Items }
  ? Operation extends keyof NonNullable<Items>
    ? NonNullable<Items>[Operation] extends z.ZodType
      ? z.input<NonNullable<Items>[Operation]>
      : never
    : never
  : never;

/** An item of the step's list. */
type ItemIn<One extends AnyAgent, Steps extends readonly Named[], Step, Rules extends WorkflowRules> = Step extends {
  readonly forEach: `${infer From}.${infer Member}`;
}
  ? MemberOf<ResultOf<One, StepNamed<Steps, From>>, Member> extends readonly (infer Item)[]
    ? Item
    : never
  : Step extends { readonly forEach: infer Name extends keyof Rules["lists"] & string }
    ? ReturnType<Rules["lists"][Name]>[number]
    : never;

type Compensating<Step> = Step extends { readonly compensation: { readonly operation: infer Operation } }
  ? Operation
  : never;

/** `unknown` where the step's operations take the items of its list. */
type ItemFits<One extends AnyAgent, Step, Item> = TakesItem<
  ItemWanted<AgentOf<One, Step>, Step extends { readonly operation: infer Operation } ? Operation : never>,
  Item
> &
  TakesItem<ItemWanted<AgentOf<One, Step>, Compensating<Step>>, Item>;

type TakesItem<Wanted, Item> =
  Takes<Wanted, Item> extends true ? unknown : Fault<"forEach", "this agent takes other items than those of the list">;

/** Never for a list of objects in the result. */
type UnfitList<Result, From extends string, Member extends string> = Member extends keyof Result
  ? Result[Member] extends readonly StepResult[]
    ? never
    : `${From}.${Member} is no list of objects`
  : `the result of ${From} has no ${Member}`;

/** `unknown` where the step names rules that there are, and a fallback among the steps. */
type NamesFit<Names, Step, Rules extends WorkflowRules> = (Step extends { readonly when: infer Name extends string }
  ? NameFits<"when", "condition", Name, keyof Rules["conditions"]>
  : unknown) &
  (Step extends { readonly forEach: infer Name extends string }
    ? Name extends `${string}.${string}`
      ? unknown
      : NameFits<"forEach", "list", Name, keyof Rules["lists"]>
    : unknown) &
  (Step extends { readonly otherwise: infer Name extends string }
    ? NameFits<"otherwise", "step", Name, Names>
    : unknown);

type NameFits<Member extends string, What extends string, Name extends string, Known> = Name extends Known
  ? unknown
  : NoSuch<Member, `there is no ${What} ${Name}`, Known>;

/** Members that no step has. */
export type MembersFit<Step> = {
  readonly [strange in Exclude<keyof Step, keyof WorkflowStep> & string]: Wrong<`a step has no ${strange}`>;
};

/** `unknown` where nothing is wrong with the step; else the member at fault has a type that says what. Steps of unknown names are not checked. */
export type StepFits<
  One extends AnyAgent,
  Steps extends readonly Named[],
  Step,
  Rules extends WorkflowRules,
  Content,
> = string extends Steps[number]["name"]
  ? unknown
  : NamesFit<Steps[number]["name"], Step, Rules> &
      ContentFits<One, Step, Content> &
      ReadsFit<One, Steps, Step> &
      ConditionFits<One, Steps, Step, Rules, Content> &
      ListFits<One, Steps, Step, Rules, Content> &
      ItemFits<One, Step, ItemIn<One, Steps, Step, Rules>>;
