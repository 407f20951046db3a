// The declaration of an app's agents (P6): their names, their part of the content, their operations' results, and the endpoints of their services.
import type { ServiceBusMessage } from "@azure/service-bus";
import type { z } from "zod";
import type { Agent, Authentication, JobView, Operation, RoutedAgent } from "../agents/agent.ts";
import type { AnswerRule } from "../agents/service-answers.ts";
import {
  type AskPolicy,
  type Asks,
  type Kept,
  operationOf,
  policyOf,
  type Recorded,
  schemaOf,
} from "../agents/service-request.ts";
import type { Job } from "../domain/content/job.ts";
import type { Transport } from "../domain/definition/workflow.ts";
import type { ReadResult, StepResult } from "../domain/record/state-record.ts";
import type { ReadEnd } from "../scheduler/steps/report-by-key.ts";
import type { ClosingStore, JobStore } from "../store/job-store.ts";

/**
 * The schema of each operation's result, by the operation's name. Each result is checked before it is recorded. A schema has to accept its own output too:
 * over a queue the result is checked by the agent and again in the reply.
 */
export type ResultSchemas = { readonly [operation: string]: z.ZodType<StepResult> };

/** The schemas of the results that an agent reads, by the step's name: of a step with `forEach` an array's. */
export type ReadSchemas = { readonly [step: string]: z.ZodType<ReadResult> };

/** The one item of an agent's operations; nothing where it declares none. */
export type DeclaredItem<Item extends z.ZodType<StepResult>, Operation extends string> =
  z.ZodType<StepResult> extends Item ? unknown : { readonly items?: { readonly [operation in Operation]: Item } };

/** The item of an operation: typed where the agent declares it. */
export type ItemOf<Items, Operation> = Operation extends keyof Items
  ? Items[Operation] extends z.ZodType<infer Item>
    ? Item
    : StepResult
  : StepResult;

/** The results of earlier steps, by the step's name. A step that was skipped, or whose result does not fit, has none. */
export type ResultsOf<Reads extends ReadSchemas> = { readonly [step in keyof Reads]?: z.output<Reads[step]> };

/** The remote service of an agent. */
export interface Service {
  /** The app setting with its endpoints: see agents/endpoint-list.ts. */
  readonly setting: string;
  /** A deployment may omit it: then the workflows that need it are not offered. */
  readonly isOptional?: boolean;
  /** The setting's value for the simulated service on a developer's machine. */
  readonly local: string;
  /** The authentication at its https endpoints, unless the setting has another one. */
  readonly authentication?: Authentication;
}

interface Declared<Name extends string, Results extends ResultSchemas> {
  readonly name: Name;
  readonly results: Results;
}

/** An agent that calls a remote service, from this app. */
export interface ServiceAgent<
  Name extends string = string,
  Results extends ResultSchemas = ResultSchemas,
  Content = never,
  Reads extends ReadSchemas = ReadSchemas,
> extends Declared<Name, Results>,
    Omit<Agent<never>, "name" | "results" | "operations" | "reads"> {
  readonly reads?: Reads;
  readonly operations: { readonly [operation in keyof Results]: Operation<never> };
  readonly kind: "service";
  readonly service: Service;
  readonly seen: (content: Content) => JobView;
}

/** An agent of this app that calls no service: its resource is the state store, or it has none. */
export interface LocalAgent<
  Name extends string = string,
  Results extends ResultSchemas = ResultSchemas,
  Content = never,
  Reads extends ReadSchemas = ReadSchemas,
> extends Declared<Name, Results> {
  readonly kind: "local";
  readonly seen?: (content: Content) => JobView;
  readonly reads?: Reads;
  /** The transports that its steps may use. */
  readonly transports: readonly Transport[];
  readonly replies?: OwnReplies;
  readonly create: (resources: AgentResources) => RoutedAgent;
}

/** The reply queue of an agent whose operations end later. Each message there has the idempotency key of the step as its correlation id. */
export interface OwnReplies {
  readonly queue: string;
  /** Reads what has come of the step: the message itself says nothing that is believed. */
  readonly endOf: ReadEnd;
}

/** An agent outside this app, perhaps in another language. It receives its requests from the queue `agent-requests-<name>`. */
export interface RemoteAgent<
  Name extends string = string,
  Results extends ResultSchemas = ResultSchemas,
  Content = never,
> extends Declared<Name, Results> {
  readonly kind: "remote";
  readonly seen: (content: Content) => JobView;
  /** By operation: how long after complete-by its service may still do it. Absent: it does not do what was compensated before. */
  readonly settlesWithinMs?: { readonly [operation in keyof Results]?: number };
}

/** An agent of any kind: with a service, without one, or outside of this app. */
export type AnyAgent = ServiceAgent | LocalAgent | RemoteAgent;

/** The resources of an agent without a service. */
export interface AgentResources {
  readonly store: JobStore & ClosingStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Sends a message over Service Bus. @throws an outage, or the error of a queue that rejects it */
  readonly send: (queue: string, message: ServiceBusMessage) => Promise<void>;
}

/** What each operation records, by the operation's name: schemas, or `idAs` and `statusAs`. */
export type RecordedResults = { readonly [operation: string]: Recorded };

/** The schemas of what operations record. */
export type SchemasOf<Results extends RecordedResults> = {
  readonly [operation in keyof Results]: Results[operation] extends Kept<infer Schema, never>
    ? Extract<Schema, z.ZodType<StepResult>>
    : Extract<Results[operation], z.ZodType<StepResult>>;
};

/** The members that an operation adds to what it records of the answer. */
type AddsOf<Result> = Result extends Kept<z.ZodType, infer Adds> ? Adds : Record<never, never>;

/**
 * An agent that calls a remote service. The types are derived from the declaration: an operation gets the members that `seen` returns, and the results
 * in `reads`. A workflow may name only its operations and their results.
 */
export function defineAgent<
  const Name extends string,
  Content extends Job,
  Seen extends JobView,
  Results extends RecordedResults,
  // biome-ignore lint/complexity/noBannedTypes: it reads nothing.
  Reads extends ReadSchemas = {},
  // biome-ignore lint/complexity/noBannedTypes: its items are not declared.
  Items extends { readonly [operation in keyof Results]?: z.ZodType<StepResult> } = {},
>(declared: {
  /** An identifier: it is part of the names of functions and queues. */
  readonly name: Name;
  readonly service: Service;
  /** The members of the content that it receives. The others reach neither its service nor its queue. */
  readonly seen: (content: Content) => Seen;
  /** The results of other steps that it uses. */
  readonly reads?: Reads;
  /** The item that an operation gets of a step with `forEach`: a workflow may give it only such items, of the content or of a result. */
  readonly items?: Items;
  /** The answers that are the service's decision about a job; the first matching rule applies. Every other answer is a fault of the endpoint. */
  readonly answers?: readonly AnswerRule[];
  /** What each operation records of its service's answer. */
  readonly results: Results;
  /** Each returns its request. */
  readonly operations: {
    readonly [operation in keyof Results]: Asks<
      Seen,
      ResultsOf<Reads>,
      AddsOf<NoInfer<Results[operation]>>,
      ItemOf<NoInfer<Items>, operation>
    >;
  };
  /** By operation. The settings are the defaults. */
  readonly policies?: {
    readonly [operation in keyof Results]?: AskPolicy<Seen, ResultsOf<Reads>, AddsOf<NoInfer<Results[operation]>>>;
  };
}): ServiceAgent<Name, SchemasOf<Results>, Content, Reads> & { readonly items?: Items } {
  const { answers = [], results, operations, policies = {}, ...rest } = declared;
  // Its own `seen` selects its part of the content: from here on the types are not needed any more.
  const asked = Object.entries(operations as { readonly [operation: string]: Asks<never, never, object, never> });
  const policyFor = policies as { readonly [operation: string]: AskPolicy<never, never> };
  const readingOf = (operation: string) => ({ recorded: results[operation] as Recorded, answers });
  const agent = {
    kind: "service",
    reads: {},
    ...rest,
    results: mapped(Object.entries(results), (_, recorded) => schemaOf(recorded)),
    operations: mapped(asked, (name, asks) => operationOf(asks, readingOf(name), policyFor[name]?.poll !== undefined)),
    policies: mapped(Object.entries(policyFor), (name, policy) => policyOf(policy, readingOf(name))),
  };
  return agent as unknown as ServiceAgent<Name, SchemasOf<Results>, Content, Reads> & { readonly items?: Items };
}

function mapped<From, To>(entries: readonly (readonly [string, From])[], to: (name: string, value: From) => To) {
  return Object.fromEntries(entries.map(([name, value]) => [name, to(name, value)]));
}

/** An agent outside this app that receives its requests from a queue. */
export function defineRemoteAgent<const Name extends string, Content extends Job, Results extends ResultSchemas>(
  declared: Omit<RemoteAgent<Name, Results, Content>, "kind">,
): RemoteAgent<Name, Results, Content> {
  return { kind: "remote", ...declared };
}
