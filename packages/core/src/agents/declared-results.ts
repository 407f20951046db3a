// What an agent has declared of results (P6): of those that its operations record, and of those of other steps that it reads.
import type { z } from "zod";
import type { StepResult } from "../domain/state-record.ts";
import type { Agent, AgentRequest, Finding } from "./agent.ts";

/**
 * A result that is not as it was declared counts as an answer that can't be read: what was asked for may have had its effect, and a person has to look at
 * what answers there. Members that are not declared are left out.
 */
export function checkedResult(schema: z.ZodType<StepResult>, reply: Finding): Finding {
  if (reply.kind !== "done") return reply;
  const parsed = schema.safeParse(reply.result);
  if (parsed.success) return { kind: "done", result: parsed.data };
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  const message = `the result is not as the agent declares it: ${faults.join("; ")}`;
  return { kind: "unavailable", message, mayHaveHappened: true, misconfigured: true };
}

/** The request with those results that the agent has declared it reads. */
export function readBy({ reads }: Agent<never>, request: AgentRequest): AgentRequest {
  if (!reads) return request;
  const results = Object.entries(reads).flatMap(([step, schema]) => {
    const parsed = schema.safeParse(request.results[step]);
    return parsed.success ? [[step, parsed.data]] : [];
  });
  return { ...request, results: Object.fromEntries(results) };
}
