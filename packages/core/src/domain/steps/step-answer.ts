// An agent's answer for a step, and the step's record after it (P8, P9).

import type { StepRecord, StepResult } from "../record/state-record.ts";
import type { StepTask } from "./attempt.ts";
import { skippedFor } from "./skip.ts";
import { done, type Route, rejected } from "./step-run.ts";

/** The agent's answer in time; or the reason why it was not called. */
export type Answer =
  | (Route & { readonly kind: "done"; readonly result: StepResult })
  | (Route & { readonly kind: "rejected"; readonly message: string })
  | { readonly kind: "skipped"; readonly message: string };

/** @param own the step's current record */
export function withAnswer(
  own: StepRecord,
  { attempt, direction, record }: StepTask,
  answer: Answer,
  now: string,
): StepRecord {
  switch (answer.kind) {
    case "done":
      return done(own, attempt, direction, answer.result, answer, now);
    // A compensation that the service rejects permanently is left to a person; the other steps are still compensated.
    case "rejected":
      return rejected(own, direction, answer.message, answer, now);
    case "skipped": {
      const { message } = answer;
      return skippedFor({ ...own, decided: record.decided }, { cause: "condition", message }, false, now);
    }
    default:
      return answer satisfies never;
  }
}
