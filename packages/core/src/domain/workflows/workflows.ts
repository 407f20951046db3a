// Workflows by name and version, after their check.

import type { Job } from "../content/job.ts";
import type { HostTimeout, KnownAgents, LoadedWorkflow, Workflow, WorkflowRef } from "../definition/workflow.ts";
import { OtherVersionNeeded } from "../outage.ts";
import { workflowFaults } from "./workflow-faults.ts";
import { knownRules, listFaults, NO_RULES, type WorkflowRules } from "./workflow-rules.ts";

export interface Workflows {
  /** The newest version of a workflow: new jobs start with it. */
  newest(name: string): LoadedWorkflow | undefined;
  /** The version that a job started with; undefined if this app does not have it. */
  find(ref: WorkflowRef): LoadedWorkflow | undefined;
  /** The same. @throws MissingWorkflow if this app does not have it */
  of(ref: WorkflowRef): LoadedWorkflow;
  readonly names: readonly string[];
  /** Whether a version of any workflow has a deadline for its jobs. */
  readonly haveDeadlines: boolean;
  /** Their conditions and lists. */
  readonly rules: WorkflowRules;
  /** The faults of a new job's content for the lists of its workflow, as text. */
  listFaults(job: Job, secrets: readonly string[]): readonly string[];
}

/** Only another version of the app has it, for example after a rollback: the jobs that began with it are not changed until then. */
export class MissingWorkflow extends OtherVersionNeeded {
  override readonly name = "MissingWorkflow";
  constructor({ name, version }: Pick<WorkflowRef, "name"> & Partial<WorkflowRef>) {
    const which = version === undefined ? name : `${name} v${version}`;
    super(`No workflow ${which} in this version of the app: deploy one that has it, and what waits for it goes on`);
  }
}

/**
 * Checks every workflow against the agents. Throws one error that names all faults.
 * @param startWithinMs how long a step may wait for its agent
 * @param timeout the host's limit for one run of a function
 * @param others faults that were found elsewhere
 */
export function loadWorkflows(
  agents: KnownAgents,
  workflows: readonly Workflow[],
  rules: WorkflowRules = NO_RULES,
  startWithinMs?: number,
  timeout?: HostTimeout,
  others: readonly string[] = [],
): Workflows {
  const known = knownRules(rules);
  const faults = workflows.flatMap((workflow) => workflowFaults(workflow, agents, known, startWithinMs, timeout));
  faults.push(...others);
  if (faults.length > 0) throw new Error(`The workflows can't run:\n  ${faults.join("\n  ")}`);
  const byVersion = workflows
    .map((workflow) => ({ ...workflow, ...settlingOf(workflow, agents) }))
    .sort((one, other) => other.version - one.version);
  const find = (ref: WorkflowRef) =>
    byVersion.find(({ name, version }) => name === ref.name && version === ref.version);
  const newest = (name: string) => byVersion.find((workflow) => workflow.name === name);
  return {
    newest,
    find,
    of: (ref) => {
      const found = find(ref);
      if (!found) throw new MissingWorkflow(ref);
      return found;
    },
    names: [...new Set(workflows.map(({ name }) => name))],
    haveDeadlines: workflows.some(({ deadline }) => deadline !== undefined),
    rules,
    listFaults: (job, secrets) => {
      const workflow = newest(job.workflow);
      return workflow ? listFaults(workflow, job, rules, secrets) : [];
    },
  };
}

function settlingOf({ steps }: Workflow, agents: KnownAgents): Pick<LoadedWorkflow, "settlesWithinMs"> {
  const times = steps.flatMap(({ name, agent, operation }) => {
    const ms = agents.get(agent)?.settlesWithinMs?.[operation];
    return ms === undefined ? [] : [[name, ms] as const];
  });
  return times.length === 0 ? {} : { settlesWithinMs: Object.fromEntries(times) };
}

/** The workflows for new jobs: those whose services all have an address in this deployment. */
export function offered(workflows: Workflows, endpoints: { readonly [agent: string]: unknown }): readonly string[] {
  const isAbsent = (agent: string) => agent in endpoints && endpoints[agent] === undefined;
  return workflows.names.filter((name) => !workflows.newest(name)?.steps.some(({ agent }) => isAbsent(agent)));
}
