// What an operator's request brings with it, checked against the job: the result of a step, and the items of lists.

import type { CheckedResult } from "../../agents/declared-results.ts";
import type { Job } from "../../domain/content/job.ts";
import { secretValuesOf, valueWithout } from "../../domain/content/redactor.ts";
import { stepOfRun } from "../../domain/definition/items.ts";
import { type EditedItems, withEditedItems } from "../../domain/operator/edited-items.ts";
import { unknownDirection } from "../../domain/operator/record-outcome.ts";
import type { StateRecord } from "../../domain/record/state-record.ts";
import { itemsIn, listFaults } from "../../domain/workflows/workflow-rules.ts";
import { contractFor } from "../../messaging/contract.ts";
import type { OperatorRequest } from "../../messaging/operator-request.ts";
import { thrownWithout } from "../code-fault.ts";
import type { Operating } from "../ports.ts";

/** The result of a step that was done, as its agent declares it; a compensation has none. */
export function withCheckedResult(
  { steps, workflow: { name, version } }: StateRecord,
  request: OperatorRequest,
  ports: Operating,
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

/**
 * The items of a job's lists in an operator's edit: recorded again, or the reasons why they can't be.
 * @param after the record as the resubmission leaves it @param edited null: the content stays as it is
 */
export function keepItems(before: StateRecord, after: StateRecord, edited: Job | null, ports: Operating): EditedItems {
  const { rules, workflows } = ports;
  const workflow = workflows.find(before.workflow);
  if (!edited || !workflow?.steps.some(({ forEach }) => forEach !== undefined))
    return { kind: "valid", steps: after.steps };
  const { secrets } = contractFor(before.workflow.name, rules.contracts);
  // The operator may not see the secrets that the list was computed with.
  const hidden = () => secretValuesOf(edited, secrets);
  try {
    const faults = listFaults(workflow, edited, workflows.rules, secrets);
    if (faults.length > 0) return { kind: "invalid", faults: valueWithout(faults, hidden()) };
    return withEditedItems(workflow, before.steps, after.steps, itemsIn(workflow, edited, workflows.rules));
  } catch (cause) {
    throw thrownWithout(cause, hidden);
  }
}
