// The scheduler (P4, P5, P8, P14): runs one attempt at an order; what comes next is the domain's to say.
import * as df from "durable-functions";
import { advance, type ClaimOutcome, nextTask, type StepOutcome, type StepTask } from "../shared/domain/attempt.ts";

df.app.orchestration("scheduler", function* (context) {
  const claim: ClaimOutcome = yield context.df.callActivity("claimOrder", context.df.getInput());
  if (claim.kind === "taken") return claim.kind;
  let attempt = claim.attempt;
  for (let task = nextTask(attempt); task; task = nextTask(attempt)) {
    const outcome: StepOutcome = yield* within(context, task);
    // Rejected: the agent's activity recorded it. Expired or superseded: silence, and the supervisor finds the record.
    if (outcome.kind !== "completed") return outcome.kind;
    attempt = advance(attempt, task.step, outcome);
  }
  return "processed";
});

/** The agent's activity, raced against complete-by. Each task is used in one composite only: the engine runs it again otherwise. */
function* within(context: df.OrchestrationContext, task: StepTask): Generator<df.Task, StepOutcome, unknown> {
  const step = context.df.callActivity(`${task.agent}Agent`, task);
  const timer = context.df.createTimer(new Date(task.completeBy));
  if ((yield context.df.Task.any([step, timer])) === timer) return { kind: "expired" };
  timer.cancel();
  // The step has ended: this resumes at once, with its outcome or by throwing its failure.
  return (yield step) as StepOutcome;
}
