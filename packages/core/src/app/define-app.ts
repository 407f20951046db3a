// The business of an app (P5, P6): its contracts, agents and workflows. Everything else is derived from this.
import type { Endpoint, JobView, RoutedAgent } from "../agents/agent.ts";
import { type CheckedResult, checkResult, resultsCheckedOf } from "../agents/declared-results.ts";
import { type RouteOptions, routeAgent } from "../agents/route-agent.ts";
import { withoutSecretsOf } from "../agents/without-secrets.ts";
import type { Job } from "../domain/content/job.ts";
import type { AgentFacts, HostTimeout, KnownAgents, Workflow } from "../domain/definition/workflow.ts";
import type { StepResult } from "../domain/record/state-record.ts";
import { NO_RULES, type WorkflowRules } from "../domain/workflows/workflow-rules.ts";
import { loadWorkflows, type Workflows } from "../domain/workflows/workflows.ts";
import { type Contracts, idNameOf, idOf } from "../messaging/contract.ts";
import { type CheckedService, type CheckedServices, checkedServiceFaults } from "./checked-services.ts";
import type { AgentResources, AnyAgent, LocalAgent, ServiceAgent } from "./define-agent.ts";
import type { StepsRead } from "./workflow-types.ts";

/** What an app declares: its contracts, agents, workflows and rules. `defineApp` checks them together. */
export interface AppDefinition {
  readonly contracts: Contracts;
  readonly agents: readonly AnyAgent[];
  /** All versions that an unfinished job may have started with. */
  readonly workflows: readonly Workflow[];
  /** The conditions and lists of the workflows, by name. None if absent. */
  readonly rules?: WorkflowRules;
  /** What the agents' services were seen to do: see `npm run services:check`. Nothing is demanded of the others. */
  readonly checkedServices?: CheckedServices;
}

/** The endpoints of each agent's service, by the agent's name; undefined for an agent that this deployment does not have. */
export type AgentEndpoints = { readonly [agent: string]: readonly Endpoint[] | undefined };

/** An app's definition, and the values that are derived from it. */
export interface Business extends Required<AppDefinition> {
  /** The agents against which the workflows are checked. */
  readonly knownAgents: KnownAgents;
  readonly serviceAgents: readonly ServiceAgent[];
  readonly localAgents: readonly LocalAgent[];
  /** The agents of this app: each is an activity. */
  readonly agentNames: readonly string[];
  /** The agents, also remote ones, that a step of any version calls over their request queue. */
  readonly agentsAskedByQueue: ReadonlySet<string>;
  readonly workflowNames: readonly string[];
  /** The operations whose policy lacks what the check of their service demands, as text. `loadWorkflows` throws them too. */
  serviceFaults(): readonly string[];
  /** The members of the content that the agent has declared; the id alone for an agent that declares none. */
  contentFor(agent: string, content: Job): JobView;
  /** Checks the result in a message or a report. Results of this app's own agents are checked when they are called. */
  checkResult(agent: string, operation: string, result: StepResult): CheckedResult;
  /**
   * The workflows, checked. @throws one error that names all faults
   * @param startWithinMs how long a step may wait for its agent; half a minute if absent
   * @param timeout the host's limit for one run of a function; five minutes if absent
   */
  loadWorkflows(startWithinMs?: number, timeout?: HostTimeout): Workflows;
  /** The agents of this app that this deployment has, by name. */
  createAgents(
    endpoints: AgentEndpoints,
    options: RouteOptions,
    resources: AgentResources,
  ): ReadonlyMap<string, RoutedAgent>;
}

/** The steps that the agents read and no workflow has. */
type Unread<Agents extends readonly AnyAgent[], Defined extends readonly Workflow[]> = Exclude<
  StepsRead<Agents[number]>,
  Defined[number]["steps"][number]["name"]
>;
type ReadsKnown<Agents extends readonly AnyAgent[], Defined extends readonly Workflow[]> = [
  Unread<Agents, Defined>,
] extends [never]
  ? unknown
  : { readonly agentsReadWhatNoWorkflowHas: Unread<Agents, Defined> };

/**
 * Combines an app's declarations, for `createApp`, the commands and the tests. An agent that reads a step of no workflow does not compile, where the
 * workflows are as `defineWorkflow` returned them.
 * @throws where two agents have the same name, two services the same setting, or two contracts different names of the id.
 */
export function defineApp<const Agents extends readonly AnyAgent[], const Defined extends readonly Workflow[]>(
  definition: Omit<AppDefinition, "agents" | "checkedServices"> & {
    readonly agents: Agents & ReadsKnown<Agents, Defined>;
    readonly workflows: Defined;
    readonly checkedServices?: CheckedServices<Agents>;
  },
): Business {
  const { contracts, agents, workflows, rules = NO_RULES, checkedServices = {} } = definition;
  const idName = idNameOf(contracts);
  const otherNames = new Set(Object.values(contracts.of).flatMap((one) => (one.idName === idName ? [] : [one.idName])));
  const faults = [
    // It is the partition key of all jobs.
    ...[...otherNames].map((name) => `one contract's idName is ${name}, and the usual one's ${idName}: an app has one`),
    ...repeated(agents.map(({ name }) => name)).map((name) => `two agents have the name ${name}`),
    ...repeated(agents.flatMap((agent) => (agent.kind === "service" ? [agent.service.setting] : []))).map(
      (setting) => `two agents have the setting ${setting}`,
    ),
  ];
  if (faults.length > 0) throw new Error(`The app can't run:\n  ${faults.join("\n  ")}`);
  const checks: CheckedServices = checkedServices;
  const knownAgents = new Map(agents.map((agent) => [agent.name, factsOf(agent, checks[agent.name]?.operations)]));
  const seenBy = new Map(agents.flatMap((agent) => (agent.seen ? [[agent.name, agent.seen]] : [])));
  const serviceFaults = () => checkedServiceFaults(agents, checkedServices);
  const schemas = new Map(agents.map(({ name, results }) => [name, new Map(Object.entries(results))]));
  return {
    contracts,
    agents,
    workflows,
    rules,
    checkedServices,
    serviceFaults,
    knownAgents,
    serviceAgents: agents.filter((agent) => agent.kind === "service"),
    localAgents: agents.filter((agent) => agent.kind === "local"),
    agentNames: agents.flatMap(({ kind, name }) => (kind === "remote" ? [] : [name])),
    agentsAskedByQueue: new Set(
      workflows.flatMap(({ steps }) => steps.flatMap(({ agent, transport }) => (transport === "queue" ? [agent] : []))),
    ),
    workflowNames: [...new Set(workflows.map(({ name }) => name))],
    contentFor: (agent, content) => seenBy.get(agent)?.(content as never) ?? { [idName]: idOf(content, idName) },
    checkResult: (agent, operation, result) => checkResult(schemas.get(agent)?.get(operation), result),
    loadWorkflows: (startWithinMs, timeout) =>
      loadWorkflows(knownAgents, workflows, rules, startWithinMs, timeout, serviceFaults()),
    createAgents: (endpoints, options, resources) =>
      new Map(
        agents.flatMap((agent): [string, RoutedAgent][] => {
          const created = createAgent(agent, endpoints, options, resources);
          return created ? [[agent.name, created]] : [];
        }),
      ),
  };
}

function createAgent(
  agent: AnyAgent,
  endpoints: AgentEndpoints,
  options: RouteOptions,
  resources: AgentResources,
): RoutedAgent | undefined {
  switch (agent.kind) {
    case "service": {
      const own = endpoints[agent.name];
      return own && routeAgent(agent, own, options);
    }
    case "local":
      return resultsCheckedOf(withoutSecretsOf(agent.create(resources)), agent.results, (operation, error) =>
        options.onMisconfigured?.(agent.name, operation, error),
      );
    case "remote":
      return undefined;
    default:
      return agent satisfies never;
  }
}

/** An agent of this app that calls a service supports both transports. */
function factsOf(agent: AnyAgent, checked: CheckedService["operations"] = {}): AgentFacts {
  const operations = Object.keys(agent.results);
  switch (agent.kind) {
    case "service":
      return { operations, transports: ["activity", "queue"], ...settlingOf(agent, checked) };
    case "local":
      return { operations, transports: agent.transports };
    case "remote":
      return {
        ...{ operations, transports: ["queue"] },
        ...(agent.settlesWithinMs && { settlesWithinMs: agent.settlesWithinMs }),
      };
    default:
      return agent satisfies never;
  }
}

/** What its policies and the checks of its service say of requests that are done after they were given up. */
function settlingOf(
  { policies = {} }: ServiceAgent,
  checked: CheckedService["operations"],
): Pick<AgentFacts, "settlesWithinMs" | "doneAfterCompensation"> {
  const times = Object.entries(policies).flatMap(([operation, { find, settlesWithinMs = find?.settlesWithinMs }]) =>
    settlesWithinMs === undefined ? [] : [[operation, settlesWithinMs] as const],
  );
  const done = Object.entries(checked).flatMap(([operation, verdicts]) =>
    verdicts?.compensatedFirst === "fails" && policies[operation]?.find === undefined ? [operation] : [],
  );
  return {
    ...(times.length > 0 && { settlesWithinMs: Object.fromEntries(times) }),
    ...(done.length > 0 && { doneAfterCompensation: done }),
  };
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}
