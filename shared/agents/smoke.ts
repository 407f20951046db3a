// The agent of the smoke test: it has no service, and no effect anywhere.
import type { RoutedAgent } from "@scheduler-agent-supervisor/core/agents/agent";

export const smokeAgent: RoutedAgent = {
  name: "smoke",
  operationNames: ["nothing"],
  async call(_operation, _request, { takeUp }) {
    if ((await takeUp()) === undefined) return { kind: "notTakenUp" };
    return { kind: "done", result: {}, endpoint: "none", because: "there is nothing to call" };
  },
};
