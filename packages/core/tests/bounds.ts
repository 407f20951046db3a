// The bounds of a call to an agent, for tests that have no record behind them.
import type { Bounds } from "../src/agents/agent.ts";

/** Taken up at once, or not later than it has to be complete. */
export function bounds(completeBy: string, priority: Bounds["priority"] = "normal"): Bounds {
  return { priority, startBy: completeBy, takeUp: async () => ({ completeBy }), stillAtWork: async () => undefined };
}
