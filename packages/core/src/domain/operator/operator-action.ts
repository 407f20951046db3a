// What an operator, or the requester who cancels, may ask of a job.
import type { Priority } from "../content/job.ts";
import type { Direction, StepResult } from "../record/state-record.ts";

export type OperatorAction =
  | {
      readonly kind: "resubmit";
      readonly reason: string;
      /** The job's content was replaced too, by content with this priority. */
      readonly edited: { readonly priority: Priority } | null;
      /** The operator confirms that a person has compensated the steps that the job's compensation could not: it begins from the start. */
      readonly compensatedManually: boolean;
      /** Of a job that is in Error in its compensation: forward again, instead of to the end of the compensation. */
      readonly direction?: "forward" | undefined;
    }
  | { readonly kind: "compensate"; readonly reason: string }
  /** For a job that has not ended: it ends at once if no step was done, and is compensated otherwise. */
  | {
      readonly kind: "cancel";
      readonly reason: string;
      /** Then its workflow may name the step from which on a cancellation is too late. */
      readonly byRequester?: boolean;
    }
  /** `only`: the job's deadline, and not what the supervisor and the steps wait for. Otherwise all of it. */
  | { readonly kind: "extend"; readonly reason: string; readonly byMs: number; readonly only?: "deadline" | undefined }
  /** Whether a step was done whose outcome is unknown. */
  | {
      readonly kind: "recordOutcome";
      readonly reason: string;
      readonly step: string;
      /** Absent: its compensation, if the outcome of that is unknown. */
      readonly direction?: Direction | undefined;
      readonly outcome: "done" | "notDone";
      /** Of a step that was done. */
      readonly result?: StepResult | undefined;
    }
  /** The remaining work is done manually: the job stays in Error, and alerts nobody any more. */
  | { readonly kind: "markResolved"; readonly reason: string };
