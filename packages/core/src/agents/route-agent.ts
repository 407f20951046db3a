// An agent with its endpoints (P6, P8, P18, P19): each operation is routed, retried by its policy, and ended at complete-by.
import { ExponentialBackoff, fullJitterGenerator } from "cockatiel";
import type { Awaited } from "../domain/record/state-record.ts";
import type {
  Agent,
  AgentCall,
  AgentRequest,
  Endpoint,
  Find,
  Finding,
  LastError,
  Operation,
  OperationPolicy,
  RoutedAgent,
} from "./agent.ts";
import { type Authenticators, authenticateAll } from "./authentication.ts";
import { BREAKER, type BreakerOptions } from "./circuit-breaker.ts";
import { checkedResult, readBy } from "./declared-results.ts";
import { type EndpointHealth, EndpointPool } from "./endpoint-pool.ts";
import type { Health } from "./routing.ts";
import { type Manner, type RoutedService, untilAnswered, type Work } from "./until-answered.ts";
import { withinBounds } from "./within-bounds.ts";
import { answeringWithout } from "./without-secrets.ts";

export interface RouteOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A try without an answer is aborted after this time. */
  readonly tryTimeoutMs?: number;
  /** Upper limit of the first wait between tries. The limit doubles for each further wait, up to the longest. */
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
  readonly breaker?: Partial<BreakerOptions> | undefined;
  /** How many calls may wait for capacity in each lane. */
  readonly waitingRoom?: number;
  /** For endpoints that need a credential. */
  readonly authenticators?: Authenticators | undefined;
  /** Called for every change of an endpoint's health and every probe. Must not throw. */
  readonly onHealth?: OnHealth | undefined;
  /** Called for every try that failed because of the endpoint's address or the app's credential. Must not throw. */
  readonly onMisconfigured?: OnMisconfigured | undefined;
  /** Called before each call: false if an operator has paused the agent. Then the step counts as not started. Must not throw. */
  readonly mayBegin?: MayBegin | undefined;
  /** Called once for each agent, with a function that returns the health of its endpoints. */
  readonly onRouted?: OnRouted | undefined;
  /** Wraps each try of an operation. Must return its answer. */
  readonly observeTry?: ObserveTry | undefined;
}

export type OnHealth = (agent: string, endpoint: string, state: Health, why: string) => void;

export type OnMisconfigured = (agent: string, operation: string, error: LastError) => void;

type MayBegin = (agent: string) => Promise<boolean>;

type OnRouted = (agent: string, health: () => EndpointHealth[]) => void;

interface Try {
  readonly agent: string;
  readonly operation: string;
  readonly endpoint: string;
  /** 1 for the first. */
  readonly tries: number;
}

export type ObserveTry = (about: Try, call: (traceparent: string | undefined) => Promise<Finding>) => Promise<Finding>;

/** An endpoint that takes longer to answer gets calls only if no other has capacity. Most services answer within a second. */
const SLOW_AFTER_MS = 3000;

const DEFAULTS = {
  tryTimeoutMs: 5000,
  firstPauseMs: 100,
  longestPauseMs: 5000,
  waitingRoom: 1000,
} as const;

type Settings = RouteOptions & { readonly [name in keyof typeof DEFAULTS]: number };

/** @throws without endpoints, or with a policy for an operation that is not there. */
export function routeAgent(agent: Agent<never>, endpoints: readonly Endpoint[], options: RouteOptions): RoutedAgent {
  if (endpoints.length === 0) throw new Error(`the agent ${agent.name} has no endpoint`);
  const settings = { ...DEFAULTS, ...options };
  const service = serviceOf(agent.name, endpoints, settings);
  settings.onRouted?.(agent.name, () => service.pool.health());
  const manners = mannersOf(agent, settings);
  return {
    name: agent.name,
    operationNames: Object.keys(agent.operations),
    isNotRepeated(name) {
      const manner = manners.get(name);
      return manner !== undefined && (manner.atMostOnce || manner.find !== undefined);
    },
    async call(name, request, bounds) {
      // Its part of the job was selected for it: see its `seen`.
      const operation = Object.hasOwn(agent.operations, name) ? (agent.operations[name] as Operation) : undefined;
      const manner = manners.get(name);
      if (!operation || !manner) throw new Error(`the agent ${agent.name} has no operation ${name}`);
      const { awaited, ...asked } = request;
      const how = awaited ? pollingOf(manner) : manner;
      const asks = awaited ? `${name} later?` : name;
      const { secrets = [] } = bounds;
      const find = how.find && { ...how.find, ask: answeringWithout(how.find.ask, secrets) };
      const answered = answeringWithout(runOf(operation, manner, awaited), secrets);
      const checked = resultsChecked(agent, name, answered, find);
      const { run, ask } = observed(agent.name, asks, checked, settings.observeTry);
      if (settings.mayBegin && !(await settings.mayBegin(agent.name))) return { kind: "notTakenUp" };
      const { pool, now } = service;
      const { priority } = bounds;
      return withinBounds(
        bounds,
        { pool, now, pauses: manner.pauses },
        ({ completeBy, triedUntil, deadline, place, progress }) =>
          untilAnswered(
            // The job contains the members that this agent declares, which are all that its operations can read.
            {
              operation: name,
              run,
              ask,
              manner: how,
              request: readBy(agent, asked as AgentRequest, name),
              completeBy,
              triedUntil,
              priority,
              place,
              progress,
            },
            deadline,
            service,
          ),
        { kind: "expired", tries: 0, ...(asked.mayHaveHappened && { outcomeUnknown: true }) },
      );
    },
  };
}

function serviceOf(agent: string, endpoints: readonly Endpoint[], settings: Settings): RoutedService {
  const { now, breaker, waitingRoom, authenticators, onHealth, onMisconfigured } = settings;
  const limits = { ...BREAKER, ...breaker };
  const pool = new EndpointPool(endpoints, {
    breaker: limits,
    waitingRoom,
    slowAfterMs: SLOW_AFTER_MS,
    slowRecheckMs: limits.longestOpenMs,
    now,
    onHealth: (endpoint, state, why) => onHealth?.(agent, endpoint, state, why),
  });
  return {
    pool,
    authenticate: authenticateAll(endpoints, authenticators),
    now,
    onMisconfigured: (operation, error) => onMisconfigured?.(agent, operation, error),
  };
}

/** The members of each operation's policy, completed from the settings. */
function mannersOf({ name, operations, policies = {} }: Agent<never>, settings: Settings): ReadonlyMap<string, Manner> {
  const strange = Object.keys(policies).filter((operation) => !Object.hasOwn(operations, operation));
  if (strange.length > 0) throw new Error(`the agent ${name} has a policy for ${strange.join(", ")}, but no operation`);
  return new Map(
    Object.keys(operations).map((operation): [string, Manner] => [
      operation,
      mannerOf(policies[operation] as OperationPolicy | undefined, settings),
    ]),
  );
}

function mannerOf(policy: OperationPolicy = {}, settings: Settings): Manner {
  return {
    tryTimeoutMs: policy.tryTimeoutMs ?? settings.tryTimeoutMs,
    tries: policy.tries ?? Number.POSITIVE_INFINITY,
    pauses: new ExponentialBackoff({
      generator: fullJitterGenerator,
      initialDelay: policy.backoff?.firstMs ?? settings.firstPauseMs,
      maxDelay: policy.backoff?.longestMs ?? settings.longestPauseMs,
    }),
    atMostOnce: policy.atMostOnce ?? false,
    find: policy.find,
    poll: policy.poll,
  };
}

/** A poll has no effect, and is made once: the next poll is scheduled, and no function waits for it. */
function pollingOf(manner: Manner): Manner {
  return { ...manner, tries: 1, atMostOnce: false, find: undefined };
}

function runOf(operation: Operation, { poll }: Manner, awaited: Awaited | undefined): Operation {
  if (!awaited) return operation;
  // A deployment may have removed it: then the step waits until its time is over.
  return async (call) =>
    poll?.(call, awaited.reference) ?? { kind: "unavailable", message: "the operation has no poll" };
}

function resultsChecked({ results }: Agent<never>, name: string, run: Operation, find: Find | undefined): Asking {
  const schema = results?.[name];
  if (!schema) return { run, ask: find?.ask };
  return {
    run: async (call) => checkedResult(schema, await run(call)),
    ask: find && (async (call) => checkedResult(schema, await find.ask(call))),
  };
}

/** The calls that the service supports: the operation, and the query for its effect. */
interface Asking {
  readonly run: (call: AgentCall) => Promise<Finding>;
  readonly ask: ((call: AgentCall) => Promise<Finding>) | undefined;
}

function observed(
  agent: string,
  operation: string,
  { run, ask }: Asking,
  observeTry: ObserveTry = (_, call) => call(undefined),
): Pick<Work, "run" | "ask"> {
  return {
    run: (call, tries) =>
      observeTry({ agent, operation, endpoint: call.endpoint, tries }, (traceparent) => run({ ...call, traceparent })),
    ask: async (call) => {
      if (!ask) throw new Error(`${agent} ${operation} can't be asked for`);
      const about = { agent, operation: `${operation} done?`, endpoint: call.endpoint, tries: 1 };
      return observeTry(about, (traceparent) => ask({ ...call, traceparent }));
    },
  };
}
