// What an agent answered of a step, and what the step's record is then (P8, P9).
import type { StepTask } from "./attempt.ts";
import { skippedFor } from "./skip.ts";
import type { StepRecord, StepResult } from "./state-record.ts";
import { done, type Route, rejected } from "./step-run.ts";

/** What its agent answered in time; or why it was not asked. */
export type Answer =
  | (Route & { readonly kind: "done"; readonly result: StepResult })
  | (Route & { readonly kind: "rejected"; readonly message: string })
  | { readonly kind: "skipped"; readonly message: string };

/** @param own the step as it is recorded now */
export function withAnswer(
  own: StepRecord,
  { attempt, direction, record }: StepTask,
  answer: Answer,
  now: string,
): StepRecord {
  switch (answer.kind) {
    case "done":
      return done(own, attempt, direction, answer.result, answer, now);
    // A compensation that the service rejects for good is left to a person; the other steps are compensated all the same.
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
