// The items of a job's lists in an operator's edit: recorded again, or the reasons why they can't be.

import type { Job } from "../../domain/content/job.ts";
import { secretValuesOf, valueWithout } from "../../domain/content/redactor.ts";
import { type EditedItems, withEditedItems } from "../../domain/operator/edited-items.ts";
import type { StateRecord } from "../../domain/record/state-record.ts";
import { itemsIn, listFaults } from "../../domain/workflows/workflow-rules.ts";
import { contractFor } from "../../messaging/contract.ts";
import { thrownWithout } from "../code-fault.ts";
import type { Ports } from "../ports.ts";

/** @param after the record as the resubmission leaves it @param edited null: the content stays as it is */
export function keepItems(before: StateRecord, after: StateRecord, edited: Job | null, ports: Ports): EditedItems {
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
