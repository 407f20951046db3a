// All that can be known wrong of the app before anything is asked of anyone: its settings, and its workflows against its agents.

import type { KnownAgents, Workflow } from "@scheduler-agent-supervisor/core/domain/workflow";
import { knownAgents } from "./agents/agents.ts";
import { type Environment, parseConfig } from "./config.ts";
import { knownWorkflows, loadWorkflows } from "./workflows/workflows.ts";

/** Each in words, with the way out; empty where the app can run. */
export function startFaults(
  environment: Environment,
  workflows: readonly Workflow[] = knownWorkflows,
  agents: KnownAgents = knownAgents,
): readonly string[] {
  return [() => parseConfig(environment), () => loadWorkflows(agents, workflows)].flatMap(faultOf);
}

function faultOf(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (cause) {
    return [cause instanceof Error ? cause.message : String(cause)];
  }
}
