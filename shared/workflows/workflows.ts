// All workflows that this app knows, by name and version.
import type { KnownAgents, Workflow } from "@scheduler-agent-supervisor/core/domain/workflow";
import type { WorkflowRules } from "@scheduler-agent-supervisor/core/domain/workflow-rules";
import { loadWorkflows as load, type Workflows } from "@scheduler-agent-supervisor/core/domain/workflows";
import { orderFulfilment } from "./order-fulfilment.ts";
import { returns } from "./returns.ts";
import { workflowRules } from "./rules.ts";
import { smoke } from "./smoke.ts";
import { trips } from "./trip.ts";

/** As they are written: the app's settings add to them. */
export const knownWorkflows: readonly Workflow[] = [...orderFulfilment, ...returns, ...trips, smoke];

/** The agents that some step of some version reaches over their request queue. */
export const agentsAskedByQueue: ReadonlySet<string> = new Set(
  knownWorkflows.flatMap(({ steps }) =>
    steps.flatMap(({ agent, transport }) => (transport === "queue" ? [agent] : [])),
  ),
);

/** Checks this app's workflows, or others with its rules; throws one error that names all faults. */
export function loadWorkflows(
  agents: KnownAgents,
  workflows: readonly Workflow[] = knownWorkflows,
  startWithin?: string,
  rules: WorkflowRules = workflowRules,
): Workflows {
  return load(agents, workflows, rules, startWithin);
}
