// The items of a job's lists, and the assignees of its steps, in an operator's edit: recorded again, or the reasons why they can't be.
import { assigned } from "../domain/assignee.ts";
import { type EditedItems, withEditedItems } from "../domain/edited-items.ts";
import type { Job } from "../domain/job.ts";
import { secretValuesOf, valueWithout } from "../domain/redactor.ts";
import type { StateRecord } from "../domain/state-record.ts";
import type { WorkflowStep } from "../domain/workflow.ts";
import { itemsIn, listFaults } from "../domain/workflow-rules.ts";
import { contractFor } from "../messaging/contract.ts";
import type { Ports } from "./ports.ts";

/** @param after the record as the resubmission leaves it @param edited null: the content stays as it is */
export function keepItems(before: StateRecord, after: StateRecord, edited: Job | null, ports: Ports): EditedItems {
  const { rules, workflows } = ports;
  const workflow = workflows.find(before.workflow);
  const depends = ({ forEach, assignee }: WorkflowStep) => forEach !== undefined || assignee !== undefined;
  if (!edited || !workflow?.steps.some(depends)) return { kind: "valid", steps: after.steps };
  const { secrets } = contractFor(before.workflow.name, rules.contracts);
  const faults = listFaults(workflow, edited, workflows.rules, secrets);
  // The operator may not see the secrets that the list was computed with.
  if (faults.length > 0) return { kind: "invalid", faults: valueWithout(faults, secretValuesOf(edited, secrets)) };
  const kept = withEditedItems(workflow, before.steps, after.steps, itemsIn(workflow, edited, workflows.rules));
  return kept.kind === "valid" ? { ...kept, steps: assigned(workflow, kept.steps, edited, workflows.rules) } : kept;
}
