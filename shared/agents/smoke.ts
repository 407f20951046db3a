// The agent of the smoke test: it has no service, and no effect anywhere.
import { defineLocalAgent } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";

export const smokeAgent = defineLocalAgent({
  name: "smoke",
  results: { nothing: z.object({}) },
  transports: ["activity", "queue"],
  create: () => ({
    name: "smoke",
    operationNames: ["nothing"],
    async call(_operation, _request, { takeUp }) {
      if ((await takeUp()) === undefined) return { kind: "notTakenUp" };
      return { kind: "done", result: {}, endpoint: "none", because: "there is nothing to call" };
    },
  }),
});
