// All workflows that this app knows, by name and version.
import { type KnownAgents, START_WITHIN, type Workflow, type WorkflowRef, workflowFaults } from "../domain/workflow.ts";
import { orderFulfilment } from "./order-fulfilment.ts";
import { returns } from "./returns.ts";

export interface Workflows {
  /** The newest version of a workflow: what new orders start with. */
  newest(name: string): Workflow | undefined;
  /** The version that an order started with. Throws if it is no longer here. */
  of(ref: WorkflowRef): Workflow;
  readonly names: readonly string[];
}

/** As they are written: the app's settings add to them. */
export const knownWorkflows: readonly Workflow[] = [...orderFulfilment, returns];

/** The agents that some step of some version reaches over their request queue. */
export const agentsAskedByQueue: ReadonlySet<string> = new Set(
  knownWorkflows.flatMap(({ steps }) =>
    steps.flatMap(({ agent, transport }) => (transport === "queue" ? [agent] : [])),
  ),
);

/**
 * Checks every workflow against the agents. Throws one error that names all faults.
 * @param startWithin ISO 8601: for steps that don't say how long they may wait for their agent
 */
export function loadWorkflows(
  agents: KnownAgents,
  workflows: readonly Workflow[] = knownWorkflows,
  startWithin: string = START_WITHIN,
): Workflows {
  const faults = workflows.flatMap((workflow) => workflowFaults(workflow, agents));
  if (faults.length > 0) throw new Error(`The workflows can't run:\n  ${faults.join("\n  ")}`);
  const whole = workflows.map((each) => ({ ...each, steps: each.steps.map((step) => ({ startWithin, ...step })) }));
  const byVersion = whole.sort((one, other) => other.version - one.version);
  return {
    newest: (name) => byVersion.find((workflow) => workflow.name === name),
    of: (ref) => {
      const found = byVersion.find(({ name, version }) => name === ref.name && version === ref.version);
      if (!found)
        throw new Error(`No workflow ${ref.name} v${ref.version}: orders that started with it need it until they end.`);
      return found;
    },
    names: [...new Set(workflows.map(({ name }) => name))],
  };
}
