// The scheduler (P4, P5, P8, P14): runs one attempt at an order, level by level; what comes next is the domain's to say.
import * as df from "durable-functions";
import {
  type Attempt,
  advance,
  type ClaimOutcome,
  firstObstacle,
  nextTasks,
  type StepOutcome,
  type StepTask,
} from "../shared/domain/attempt.ts";

df.app.orchestration("scheduler", function* (context) {
  const claim: ClaimOutcome = yield context.df.callActivity("claimOrder", context.df.getInput());
  if (claim.kind !== "claimed") return claim.kind;
  let attempt: Attempt = claim.attempt;
  for (let tasks = nextTasks(attempt); tasks.length > 0; tasks = nextTasks(attempt)) {
    const outcomes: StepOutcome[] = yield* runLevel(context, tasks);
    // Rejected: the agent's activity recorded it. Expired or superseded: silence, and the supervisor finds the record.
    const obstacle = firstObstacle(outcomes);
    if (obstacle) return obstacle;
    attempt = advance(attempt, outcomes);
  }
  return "concluded";
});

/**
 * The level's agents side by side, each raced against its complete-by. Each task is used in one composite only: the engine
 * runs it again otherwise.
 */
function* runLevel(
  context: df.OrchestrationContext,
  tasks: readonly StepTask[],
): Generator<df.Task, StepOutcome[], unknown> {
  const races = tasks.map((task) => {
    const step = context.df.callActivity(`${task.agent}Agent`, task);
    const timer = context.df.createTimer(new Date(task.completeBy));
    return { step, timer, race: context.df.Task.any([step, timer]) };
  });
  const winners = (yield context.df.Task.all(races.map(({ race }) => race))) as df.Task[];
  const outcomes: StepOutcome[] = [];
  for (const [index, { step, timer }] of races.entries()) {
    if (winners[index] === timer) {
      outcomes.push({ kind: "expired" });
      continue;
    }
    timer.cancel();
    // The step has ended: this resumes at once, with its outcome or by throwing its failure.
    outcomes.push((yield step) as StepOutcome);
  }
  return outcomes;
}
