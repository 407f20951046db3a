// The items of a job's lists in an operator's edit: recorded again, or the reasons why they can't be.
import { type EditedItems, withEditedItems } from "../domain/edited-items.ts";
import { itemOfRun } from "../domain/items.ts";
import type { Job } from "../domain/job.ts";
import { secretValuesOf, valueWithout } from "../domain/redactor.ts";
import type { Items, StateRecord } from "../domain/state-record.ts";
import type { Workflow } from "../domain/workflow.ts";
import { itemsIn, listFaults } from "../domain/workflow-rules.ts";
import { contractFor } from "../messaging/contract.ts";
import type { Ports } from "./ports.ts";

/** @param after the record as the resubmission leaves it @param edited null: the content stays as it is */
export async function keepItems(
  before: StateRecord,
  after: StateRecord,
  edited: Job | null,
  ports: Ports,
): Promise<EditedItems> {
  const { rules, workflows } = ports;
  const workflow = workflows.find(before.workflow);
  if (!edited || !workflow?.steps.some(({ forEach }) => forEach !== undefined))
    return { kind: "valid", steps: after.steps };
  const { secrets } = contractFor(before.workflow.name, rules.contracts);
  const faults = listFaults(workflow, edited, workflows.rules, secrets);
  // The operator may not see the secrets that the list was computed with.
  if (faults.length > 0) return { kind: "invalid", faults: valueWithout(faults, secretValuesOf(edited, secrets)) };
  const was = await itemsBefore(before, workflow, ports);
  return withEditedItems(workflow, before.steps, after.steps, was, itemsIn(workflow, edited, workflows.rules));
}

/** Computed for a record of an older version of the app; a record of this version has its items. */
async function itemsBefore(
  { jobId, jobRevision, steps }: StateRecord,
  workflow: Workflow,
  { store, workflows: { rules } }: Ports,
): Promise<Items> {
  if (Object.entries(steps).every(([run, { item }]) => itemOfRun(run) === undefined || item !== undefined)) return {};
  const stored = await store.job(jobId, jobRevision);
  return listFaults(workflow, stored, rules, []).length > 0 ? {} : itemsIn(workflow, stored, rules);
}
