// How an app declares its agents (P6): what each is called, what it gets of the content, what its operations record, and where its service answers.
import type { z } from "zod";
import type { Agent, Authentication, JobView, Operation, OperationPolicy, RoutedAgent } from "../agents/agent.ts";
import type { Job } from "../domain/job.ts";
import type { StepResult } from "../domain/state-record.ts";
import type { Transport } from "../domain/workflow.ts";
import type { ClosingStore, JobStore } from "../store/job-store.ts";

/**
 * What an operation records, by the operation's name. Each is checked before it is recorded. A schema has to take what it has made too: what comes by a queue is
 * checked where the service answers and where the reply is taken, since anybody who reads the requests may have sent it.
 */
export type ResultSchemas = { readonly [operation: string]: z.ZodType<StepResult> };

/** What steps before have recorded, by the step's name. Of a step that was skipped, or recorded something else, there is nothing. */
export type ResultsOf<Reads extends ResultSchemas> = { readonly [step in keyof Reads]?: z.output<Reads[step]> };

/** The remote service of an agent. */
export interface Service {
  /** The app setting that says where it answers: see agents/endpoint-list.ts. */
  readonly setting: string;
  /** A deployment may go without it: then the workflows that need it are not offered. */
  readonly isOptional?: boolean;
  /** Where a simulated one answers on a developer's machine, as the setting is written. */
  readonly local: string;
  /** How its endpoints over https know the app, unless the setting says otherwise. */
  readonly authentication?: Authentication;
}

interface Declared<Name extends string, Results extends ResultSchemas> {
  readonly name: Name;
  readonly results: Results;
}

/** An agent that calls a remote service, from this app. */
export interface ServiceAgent<Name extends string = string, Results extends ResultSchemas = ResultSchemas>
  extends Declared<Name, Results>,
    Omit<Agent<never>, "name" | "results" | "operations"> {
  readonly operations: { readonly [operation in keyof Results]: Operation<never> };
  readonly kind: "service";
  readonly service: Service;
  readonly seen: (content: never) => JobView;
}

/** An agent of this app that calls no service: its resource is the state store, or it has none. */
export interface LocalAgent<Name extends string = string, Results extends ResultSchemas = ResultSchemas>
  extends Declared<Name, Results> {
  readonly kind: "local";
  /** How its steps may reach it. */
  readonly transports: readonly Transport[];
  readonly create: (resources: AgentResources) => RoutedAgent;
}

/** An agent that is not in this app, perhaps in another language: it takes its requests from the queue `agent-requests-<name>`. */
export interface RemoteAgent<Name extends string = string, Results extends ResultSchemas = ResultSchemas>
  extends Declared<Name, Results> {
  readonly kind: "remote";
  readonly seen: (content: never) => JobView;
}

/** An agent of any kind: with a service, without one, or outside of this app. */
export type AnyAgent = ServiceAgent | LocalAgent | RemoteAgent;

/** What an agent without a service may work on. */
export interface AgentResources {
  readonly store: JobStore & ClosingStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * An agent that calls a remote service. The types follow: an operation gets what `seen` takes out of the content, and the results that
 * `reads` names; a workflow may name its operations and what they record, and nothing else.
 */
export function defineAgent<
  const Name extends string,
  Content extends Job,
  Seen extends JobView,
  Results extends ResultSchemas,
  // biome-ignore lint/complexity/noBannedTypes: it reads nothing.
  Reads extends ResultSchemas = {},
>(declared: {
  /** An identifier: it is part of the names of functions and queues. */
  readonly name: Name;
  readonly service: Service;
  /** What it gets of the content: the rest reaches neither its service nor its queue. */
  readonly seen: (content: Content) => Seen;
  /** The results of other steps that it works with. */
  readonly reads?: Reads;
  readonly results: Results;
  readonly operations: { readonly [operation in keyof Results]: Operation<Seen, ResultsOf<Reads>> };
  /** By operation; those that are not named here go as the settings say. */
  readonly policies?: { readonly [operation in keyof Results]?: OperationPolicy<Seen, ResultsOf<Reads>> };
}): ServiceAgent<Name, Results> {
  // What it gets is taken out for it by its own `seen`: from here on nobody needs to know the types.
  return { kind: "service", reads: {}, ...declared } as unknown as ServiceAgent<Name, Results>;
}

/** An agent of this app without a remote service. */
export function defineLocalAgent<const Name extends string, Results extends ResultSchemas>(
  declared: Omit<LocalAgent<Name, Results>, "kind">,
): LocalAgent<Name, Results> {
  return { kind: "local", ...declared };
}

/** An agent that runs elsewhere, and is asked over its queue. */
export function defineRemoteAgent<const Name extends string, Content extends Job, Results extends ResultSchemas>(
  declared: Omit<RemoteAgent<Name, Results>, "kind" | "seen"> & { readonly seen: (content: Content) => JobView },
): RemoteAgent<Name, Results> {
  return { kind: "remote", ...declared };
}
