// The state of the agents over all instances of the app, and the pauses: read at most once in some seconds, for any number of operators.

import { instant } from "@scheduler-agent-supervisor/core/domain";
import type { Pauses } from "@scheduler-agent-supervisor/core/scheduling";
import { type AgentHealthStore, REPORT_LASTS_S, remembered } from "@scheduler-agent-supervisor/core/store";
import type { AgentHealth } from "../contract.ts";

export interface AgentHealthPorts {
  readonly health: Pick<AgentHealthStore, "all">;
  readonly pauses: Pick<Pauses, "current">;
  /** The workflows and agents that can be paused. */
  readonly known: { readonly workflow: readonly string[]; readonly agent: readonly string[] };
  readonly now: () => number;
}

export function createAgentHealth({ health, pauses, known, now }: AgentHealthPorts): () => Promise<AgentHealth> {
  const latest = remembered(now, () => health.all());
  return async () => {
    const [reports, paused] = await Promise.all([latest.read(), pauses.current()]);
    const oldest = instant(now() - REPORT_LASTS_S * 1000);
    const current = reports
      .filter(({ at }) => at > oldest)
      .sort((one, other) => one.instance.localeCompare(other.instance));
    return {
      asOf: instant(now()),
      pauses: [...paused],
      workflows: [...known.workflow],
      agents: known.agent.map((name) => ({
        name,
        instances: current.flatMap(({ instance, at, agents }) =>
          agents[name] ? [{ instance, at, endpoints: [...agents[name]] }] : [],
        ),
      })),
    };
  };
}
