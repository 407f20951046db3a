// An agent's declared results (P6): those that its operations record, and those of other steps that it reads.
import type { z } from "zod";
import { isNestedTooDeep } from "../domain/content/exact-json.ts";
import { jsonBytes, RESULT_BYTES, RESULT_LEVELS } from "../domain/record/record-limits.ts";
import type { StepResult } from "../domain/record/state-record.ts";
import type { Agent, AgentRequest, Finding, LastError, RoutedAgent } from "./agent.ts";
import { bounded } from "./bounds.ts";
import { isNamed, wordsIn } from "./http-exchange.ts";

export type CheckedResult =
  /** Without undeclared members. */
  | { readonly kind: "fits"; readonly result: StepResult }
  | { readonly kind: "misfit"; readonly faults: readonly string[] };

/**
 * @param schema absent for an operation that no agent of this version of the app declares, for example if another version sent the request: its
 * result is accepted unchanged, because its work is done, and a rejection would not reverse it
 */
export function checkResult(schema: z.ZodType<StepResult> | undefined, result: StepResult): CheckedResult {
  if (!schema) return withinRecord(result);
  const parsed = schema.safeParse(result);
  if (parsed.success) return withinRecord(parsed.data);
  return {
    kind: "misfit",
    faults: faultsIn("result", parsed.error),
  };
}

const faultsIn = (whole: string, { issues }: z.ZodError): string[] =>
  issues.map(({ path, message }) => `${[whole, ...path].join(".")}: ${message}`);

function withinRecord(result: StepResult): CheckedResult {
  if (isNestedTooDeep(result, RESULT_LEVELS))
    return { kind: "misfit", faults: [`result: is nested deeper than the ${RESULT_LEVELS} levels that it may have`] };
  const bytes = jsonBytes(result);
  if (bytes <= RESULT_BYTES) return { kind: "fits", result };
  return {
    kind: "misfit",
    faults: [`result: has ${bytes} bytes as JSON, and a step's result may have ${RESULT_BYTES}`],
  };
}

/**
 * A result that differs from its declaration counts as an answer that can't be read: the request may have had its effect, and a person must check
 * the service.
 */
export function unreadable(faults: readonly string[]) {
  const message = bounded(`${UNDECLARED}: ${faults.join("; ")}`);
  return { kind: "unavailable", message, misconfigured: true } as const;
}

const UNDECLARED = "the result is not as the agent declares it";

/** A service's answer, if its result fits. */
export function checkedResult(schema: z.ZodType<StepResult>, reply: Finding): Finding {
  if (reply.kind !== "done") return reply;
  const checked = checkResult(schema, reply.result);
  if (checked.kind === "fits") return { kind: "done", result: checked.result };
  const words = wordsIn(reply.result);
  const faults = words === undefined ? checked.faults : [...checked.faults, `it says: ${words}`];
  return {
    ...unreadable(faults),
    mayHaveHappened: true,
    about: isNamed(reply.result) ? "request" : "either",
    inShort: UNDECLARED,
  };
}

/**
 * An agent that routes its calls itself: its results are checked too. After a result that does not fit, this call is not repeated: the supervisor
 * recovers the step.
 */
export function resultsCheckedOf(
  agent: RoutedAgent,
  results: { readonly [operation: string]: z.ZodType<StepResult> },
  onMisconfigured: (operation: string, error: LastError) => void,
): RoutedAgent {
  return {
    name: agent.name,
    operationNames: agent.operationNames,
    isNotRepeated: (operation) => agent.isNotRepeated?.(operation) ?? false,
    async call(operation, request, bounds) {
      const reply = await agent.call(operation, request, bounds);
      if (reply.kind !== "done") return reply;
      const checked = checkResult(results[operation], reply.result);
      if (checked.kind === "fits") return { ...reply, result: checked.result };
      const { message, misconfigured } = unreadable(checked.faults);
      const lastError = { endpoint: reply.endpoint, message, misconfigured };
      onMisconfigured(operation, lastError);
      // The counter of failures needs to know that this was one.
      await bounds.stillAtWork();
      return { kind: "expired", tries: 1, lastError, outcomeUnknown: true };
    },
  };
}

/**
 * The request with only those results that the agent has declared to read, and with the item as its operation declares it.
 * @throws if the item is another: without it the operation would be for the whole job
 */
export function readBy({ name, reads, items }: Agent<never>, request: AgentRequest, operation: string): AgentRequest {
  const schema = request.item && items?.[operation];
  const item = schema?.safeParse(request.item);
  if (item?.success === false)
    throw new Error(
      `the item is not as agent ${name} declares it for ${operation}: ${faultsIn("item", item.error).join("; ")}`,
    );
  const asked = item ? { ...request, item: item.data } : request;
  if (!reads) return asked;
  const results = Object.entries(reads).flatMap(([step, read]) => {
    const parsed = read.safeParse(request.results[step]);
    return parsed.success ? [[step, parsed.data]] : [];
  });
  return { ...asked, results: Object.fromEntries(results) };
}
