// An operator's request that records the outcome of a step (P32): its result is checked as its agent declares it.
import type { CheckedResult } from "../../agents/declared-results.ts";
import { stepOfRun } from "../../domain/definition/items.ts";
import { unknownDirection } from "../../domain/operator/record-outcome.ts";
import type { StateRecord } from "../../domain/record/state-record.ts";
import type { OperatorRequest } from "../../messaging/operator-request.ts";
import type { Ports } from "../ports.ts";

/** The result of a step that was done, as its agent declares it; a compensation has none. */
export function withCheckedResult(
  { steps, workflow: { name, version } }: StateRecord,
  request: OperatorRequest,
  ports: Ports,
): { readonly kind: "fits"; readonly request: OperatorRequest } | Extract<CheckedResult, { kind: "misfit" }> {
  if (request.kind !== "recordOutcome" || request.outcome === "notDone") return { kind: "fits", request };
  const own = steps[request.step];
  const direction = request.direction ?? unknownDirection(own);
  const meant = { ...request, direction };
  if (direction === "compensate") {
    if (!request.result) return { kind: "fits", request: meant };
    return { kind: "misfit", faults: ["result: a compensation has no result"] };
  }
  const planned = ports.workflows.find({ name, version })?.steps.find((step) => step.name === stepOfRun(request.step));
  if (!own || !planned) return { kind: "fits", request: meant };
  const checked = ports.checkResult(own.agent, planned.operation, request.result ?? {});
  return checked.kind === "misfit" ? checked : { kind: "fits", request: { ...meant, result: checked.result } };
}

/** What was done, for the audit log. */
export function doneInWords(request: OperatorRequest): string {
  if (request.kind !== "recordOutcome") return "done";
  const { step, outcome, direction } = request;
  const which = direction === "compensate" ? `the compensation of ${step}` : step;
  return `done: ${which} was recorded as ${outcome === "done" ? "done" : "not done"}`;
}
