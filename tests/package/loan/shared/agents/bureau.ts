// The credit bureau is asked by another team's process, which takes its requests from a queue.
import { defineRemoteAgent } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import { seen } from "./seen.ts";

export const bureauAgent = defineRemoteAgent({
  name: "bureau",
  seen,
  results: { score: z.object({ score: z.int() }) },
});
