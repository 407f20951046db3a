// What an agent has declared of results (P6): of those that its operations record, and of those of other steps that it reads.
import type { z } from "zod";
import type { StepResult } from "../domain/state-record.ts";
import type { Agent, AgentRequest, Finding, LastError, RoutedAgent } from "./agent.ts";
import { bounded } from "./bounds.ts";

export type CheckedResult =
  /** Without the members that are not declared. */
  | { readonly kind: "fits"; readonly result: StepResult }
  | { readonly kind: "misfit"; readonly faults: readonly string[] };

/**
 * @param schema absent for an operation that no agent of this version of the app declares, as where another version asked: its result fits as it is, for its
 * work is done, and a rejection would not take it back
 */
export function checkResult(schema: z.ZodType<StepResult> | undefined, result: StepResult): CheckedResult {
  if (!schema) return { kind: "fits", result };
  const parsed = schema.safeParse(result);
  if (parsed.success) return { kind: "fits", result: parsed.data };
  return {
    kind: "misfit",
    faults: parsed.error.issues.map(({ path, message }) => `${["result", ...path].join(".")}: ${message}`),
  };
}

/**
 * A result that is not as it was declared counts as an answer that can't be read: what was asked for may have had its effect, and a person has to look at
 * what answers there.
 */
export function unreadable(faults: readonly string[]) {
  const message = bounded(`the result is not as the agent declares it: ${faults.join("; ")}`);
  return { kind: "unavailable", message, misconfigured: true } as const;
}

/** What a service says, as long as its result fits. */
export function checkedResult(schema: z.ZodType<StepResult>, reply: Finding): Finding {
  if (reply.kind !== "done") return reply;
  const checked = checkResult(schema, reply.result);
  if (checked.kind === "fits") return { kind: "done", result: checked.result };
  return { ...unreadable(checked.faults), mayHaveHappened: true };
}

/** An agent that routes its calls itself: its results are checked too. One that does not fit is not asked for again in this call: the supervisor sees to it. */
export function resultsCheckedOf(
  agent: RoutedAgent,
  results: { readonly [operation: string]: z.ZodType<StepResult> },
  onMisconfigured: (operation: string, error: LastError) => void,
): RoutedAgent {
  return {
    name: agent.name,
    operationNames: agent.operationNames,
    async call(operation, request, bounds) {
      const reply = await agent.call(operation, request, bounds);
      if (reply.kind !== "done") return reply;
      const checked = checkResult(results[operation], reply.result);
      if (checked.kind === "fits") return { ...reply, result: checked.result };
      const { message, misconfigured } = unreadable(checked.faults);
      const lastError = { endpoint: reply.endpoint, message, misconfigured };
      onMisconfigured(operation, lastError);
      // Whoever counts failures has to know that this was one.
      await bounds.stillAtWork();
      return { kind: "expired", tries: 1, lastError, outcomeUnknown: true };
    },
  };
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
