// The agent of the smoke test: it has no service, and no effect anywhere.
import { defineLocalAgent } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";

export const smokeAgent = defineLocalAgent({
  name: "smoke",
  results: { nothing: z.object({}) },
  operations: { nothing: async () => ({ kind: "done", result: {} }) },
});
