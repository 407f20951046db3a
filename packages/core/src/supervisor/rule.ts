// The reason for a record's verdict, as text: for the audit log.
import { counted } from "../domain/counted.ts";
import type { StepPolicy } from "../domain/definition/workflow.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { overdueStep } from "../domain/recovery/recovery.ts";
import { budgetNamed } from "../domain/steps/failure-budget.ts";
import type { AnyVerdict, Failed } from "../domain/steps/verdicts.ts";

export function ruleInWords(
  record: StateRecord,
  verdict: AnyVerdict,
  policyOf: (step: string | undefined) => StepPolicy,
): string {
  const stepPolicy = policyOf("failures" in verdict ? (verdict.step ?? undefined) : undefined);
  const policy = budgetNamed("budget" in verdict ? verdict.budget : undefined, stepPolicy);
  const { failureThreshold, waits } = policy;
  const { direction, completeBy, dueAt, outbox, processState } = record;
  switch (verdict.kind) {
    case "repeatStart":
      return `Pending and not claimed by ${dueAt}: its attempt is started again, no failure is counted`;
    case "reschedule":
      return `Processing, and no agent took up ${overdueStep(record)} in time: scheduled again, no failure is counted`;
    case "resume":
      return "Processing, and what it waited for is over: it goes on, no failure is counted";
    case "hold":
      return `Processing, and ${overdueStep(record)} met a wrong address or credential: tried again in ${verdict.waitMs / 1000} s, no failure is counted`;
    case "holdForAnswer":
      return `Processing, and ${overdueStep(record)} had an answer that its agent does not declare: tried again in ${verdict.waitMs / 1000} s, no failure is counted`;
    case "holdForCode":
      return `Processing, and the app's own code threw in ${overdueStep(record)}: tried again in ${verdict.waitMs / 1000} s, no failure is counted`;
    case "later":
      return `Processing, and a step of it has time until ${verdict.at}`;
    case "prolong":
      return `Processing, and ${verdict.waits.map(({ step }) => step).join(", ")} waited while its agent was paused or the app was away: its wait goes on, no failure is counted`;
    case "remind":
      return `${processState}, and half of the time of ${verdict.due.map(({ step }) => step).join(", ")} is over: its assignee is reminded, no failure is counted`;
    case "publish":
      return `${processState}, with ${counted(outbox.length, "outbox message")} not known to be sent`;
    case "compensateAtDeadline":
    case "failAtDeadline": {
      const then = verdict.kind === "failAtDeadline" ? "fail" : "compensate";
      return `${processState} past its deadline ${verdict.deadlineAt}: the workflow's deadline says ${then}, no failure is counted`;
    }
    case "dropDeadline":
      return `${processState}, and no deadline applies to it any more: its deadline is removed`;
    case "skip":
      return `${expired(verdict)}, all attempts used up: it goes on without ${verdict.skips?.join(", ")}`;
    case "retry":
      return `${expired(verdict)}, below the threshold of ${failureThreshold}`;
    case "wait": {
      const pause = verdict.failures - failureThreshold + 1;
      return `${expired(verdict)}, at the threshold of ${failureThreshold} or above: pause ${pause} of ${waits.length}, ${verdict.waitMs / 1000} s`;
    }
    case "compensate":
    case "fail": {
      const then =
        direction === "compensate" ? "a compensation is not compensated in turn" : `the policy says ${verdict.kind}`;
      if (verdict.budget === "wait")
        return `Processing past its complete-by ${completeBy}: the wait of ${verdict.step} for a report expired: ${then}`;
      if (verdict.budget === "answer")
        return `${expired(verdict)}, each with an answer that its agent does not declare: a person has to act`;
      const used = waits.length > 0 ? ` and ${waits.length} pauses used up` : "";
      return `${expired(verdict)}, at the threshold of ${failureThreshold} or above${used}: ${then}`;
    }
    default:
      return verdict satisfies never;
  }

  function expired({ step, failures }: Failed): string {
    const of = step === null ? "" : ` of ${step}`;
    return `Processing past its complete-by ${completeBy}: failure ${failures}${of}`;
  }
}
