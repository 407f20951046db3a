// What a person asks for about a job.
import type { Inspection, JobAction } from "../api/contract.ts";

/** A report in the place of whoever does the step. */
interface AskedReport {
  readonly step: string;
  readonly as: "done" | "rejected";
}

/** Whether a step was done whose outcome is unknown. */
export interface AskedOutcome {
  readonly step: string;
  readonly direction: "forward" | "compensate";
  readonly outcome: "done" | "notDone";
}

export type Asked = JobAction | "edit" | AskedReport | AskedOutcome;

/** The steps of which a report is awaited, of the step itself or of its compensation. */
export function awaitedSteps({ record: { steps } }: Inspection): string[] {
  return Object.entries(steps).flatMap(([name, { state, compensation }]) =>
    state === "Awaiting" || compensation?.state === "Awaiting" ? [name] : [],
  );
}
