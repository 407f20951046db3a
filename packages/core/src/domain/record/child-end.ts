// How a child job stands for the step of its parent that submitted it (P35).
import type { ParentStep } from "../definition/child-job.ts";
import { hasEnded, type StateRecord } from "./state-record.ts";

/** Whether a job belongs to that step: a job under a child's id may be anybody's. */
export function isChildOf(
  { parent }: Pick<StateRecord, "parent">,
  { jobId, step }: Omit<ParentStep, "depth">,
): boolean {
  return parent?.jobId === jobId && parent.step === step;
}

/** How a child job stands for its parent's step. */
export type ChildEnd =
  | { readonly kind: "going"; readonly waitsFor?: string }
  | { readonly kind: "processed" }
  /** It will not be done: all of it is compensated, or nothing was done. */
  | { readonly kind: "takenBack"; readonly message: string };

export function childEndOf({
  processState,
  error,
  jobId,
}: Pick<StateRecord, "processState" | "error" | "jobId">): ChildEnd {
  if (!hasEnded(processState)) return { kind: "going" };
  const why = error?.message ?? "without a reason";
  switch (processState) {
    case "Processed":
      return { kind: "processed" };
    case "Compensated":
    case "Cancelled":
      return { kind: "takenBack", message: `child ${jobId} is ${processState}: ${why}` };
    case "Error":
      return { kind: "going", waitsFor: why };
    default:
      return processState satisfies never;
  }
}
