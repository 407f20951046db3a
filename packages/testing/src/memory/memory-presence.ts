// Who takes which agent's work, for one process: the app's own decisions over watches in memory.
import { type AgentPresence, createAgentPresence } from "@scheduler-agent-supervisor/core/scheduling";
import type { Watch } from "@scheduler-agent-supervisor/core/store";

/** @param isPaused whether an operator has paused the agent */
export function createMemoryPresence(
  now: () => number,
  isPaused: (agent: string) => Promise<boolean> = async () => false,
): AgentPresence {
  const watches = new Map<string, Watch>();
  return createAgentPresence({
    now,
    pauses: {
      isPaused: ({ name }) => isPaused(name),
      pausesOf: async (agent) => ((await isPaused(agent)) ? [{ from: "" }] : []),
      watchOf: async (agent) => watches.get(agent),
    },
    store: { watch: async (watch) => void watches.set(watch.name, watch) },
  });
}
