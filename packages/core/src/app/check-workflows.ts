// At start: rejects a workflow whose steps were edited without a new version, and reports which versions jobs still need.

import type { Workflow, WorkflowRef } from "../domain/definition/workflow.ts";
import { contentOfWorkflow, editsBetween } from "../domain/definition/workflow-content.ts";
import type { Telemetry } from "../scheduler/ports.ts";
import type { JobsOfVersion, WorkflowRegister } from "../store/workflow-register.ts";

export interface VersionInUse extends WorkflowRef {
  readonly jobs: JobsOfVersion;
  /**
   * `newest`: new jobs start with it. `needed`: it must stay, because unfinished jobs need it. `mayBeRetired`: no job needs it. `missing`: jobs
   * need it, and this app does not have it. `retired`: this app does not have it, and no job needs it.
   */
  readonly state: "newest" | "needed" | "mayBeRetired" | "missing" | "retired";
}

/** A version was edited: its jobs began with another content than the version has now. */
export class WorkflowEdited extends Error {
  override readonly name = "WorkflowEdited";
}

/**
 * Versions that only another version of the app has, for example after a rollback, do not stop the start: they are reported as missing.
 * @throws WorkflowEdited, which names every edit
 */
export async function checkWorkflows(
  known: readonly Workflow[],
  register: WorkflowRegister,
  telemetry: Telemetry,
): Promise<void> {
  const faults: string[] = [];
  for (const workflow of known) {
    const content = contentOfWorkflow(workflow);
    const edits = editsBetween(await register.enter(content), content);
    if (edits.length > 0) faults.push(`workflow ${content.name} v${content.version}: ${edits.join(", ")}`);
  }
  if (faults.length > 0) {
    throw new WorkflowEdited(
      `Workflows were edited without a new version, and jobs that began with them would go on by other steps:\n  ${faults.join("\n  ")}\n` +
        "Put their steps back as they were, and add what is to change as a new version beside it. Times and policies may change without a new version.",
    );
  }
  const versions = await allVersions(known, register);
  // Nothing is reported of the newest ones, so their jobs are not counted.
  if (versions.every(({ isNewest }) => isNewest)) return;
  for (const { name, version, state, jobs } of await counted(versions, register)) {
    if (state === "newest" || state === "retired") continue;
    telemetry.event(state === "missing" ? "WorkflowVersionMissing" : "WorkflowVersionInUse", {
      workflow: name,
      version,
      state,
      ...jobs,
    });
  }
}

/** Every version that this app has or that ever ran on its store, and the number of jobs that need it. */
export async function versionsInUse(known: readonly Workflow[], register: WorkflowRegister): Promise<VersionInUse[]> {
  return counted(await allVersions(known, register), register);
}

interface Version extends WorkflowRef {
  readonly isKnown: boolean;
  readonly isNewest: boolean;
}

async function allVersions(known: readonly Workflow[], register: WorkflowRegister): Promise<Version[]> {
  const isKnown = (ref: WorkflowRef) => known.some(({ name, version }) => name === ref.name && version === ref.version);
  const others = (await register.entered()).filter((entered) => !isKnown(entered));
  return [...known, ...others]
    .map(({ name, version }) => {
      const newest = Math.max(...known.flatMap((one) => (one.name === name ? [one.version] : [])));
      return { name, version, isKnown: isKnown({ name, version }), isNewest: version === newest };
    })
    .sort((one, other) => one.name.localeCompare(other.name) || one.version - other.version);
}

async function counted(versions: readonly Version[], register: WorkflowRegister): Promise<VersionInUse[]> {
  const jobsOf = await register.jobs();
  return versions.map(({ name, version, isKnown, isNewest }) => {
    const jobs = jobsOf({ name, version });
    const isNeeded = Object.values(jobs).some((count: number) => count > 0);
    if (!isKnown) return { name, version, jobs, state: isNeeded ? "missing" : "retired" };
    if (isNewest) return { name, version, jobs, state: "newest" };
    return { name, version, jobs, state: isNeeded ? "needed" : "mayBeRetired" };
  });
}
