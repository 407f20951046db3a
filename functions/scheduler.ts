// The scheduler (P4, P5, P8, P14): runs one attempt at an order, level by level; what comes next is the domain's to say.
import * as df from "durable-functions";
import {
  type Attempt,
  advance,
  type ClaimOutcome,
  firstObstacle,
  nextTasks,
  replyEvent,
  type StepOutcome,
  type StepTask,
} from "../shared/domain/attempt.ts";

/** About two hours in all. */
const PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 300_000;
const TRIES = 30;

df.app.orchestration("scheduler", function* (context) {
  const claim: ClaimOutcome = yield context.df.callActivity("claimOrder", context.df.getInput());
  if (claim.kind !== "claimed") return claim.kind;
  let attempt: Attempt = claim.attempt;
  for (let tasks = nextTasks(attempt); tasks.length > 0; tasks = nextTasks(attempt)) {
    let outcomes: StepOutcome[];
    try {
      outcomes = yield* runLevel(context, tasks);
    } catch (fault) {
      yield* tellEnd(context, attempt);
      throw fault;
    }
    // Rejected: the agent's activity recorded it. Expired or superseded: silence, and the supervisor finds the record.
    const obstacle = firstObstacle(outcomes);
    if (obstacle && obstacle !== "rejected") yield* tellEnd(context, attempt);
    if (obstacle) return obstacle;
    attempt = advance(attempt, outcomes);
  }
  return "concluded";
});

/** Broken off, the attempt may have ended its order all the same: store or bus were away just then, and come back. */
function* tellEnd(context: df.OrchestrationContext, ended: Attempt): Generator<df.Task, void, unknown> {
  const { orderId, attempt, reply } = ended;
  const patience = new df.RetryOptions(PAUSE_MS, TRIES);
  patience.backoffCoefficient = 2;
  patience.maxRetryIntervalInMilliseconds = LONGEST_PAUSE_MS;
  yield context.df.callActivityWithRetry("tellEnd", patience, { orderId, attempt, traceparent: reply.traceparent });
}

/**
 * The level's agents side by side, each raced against its complete-by. Each task is used in one composite only: the engine
 * runs it again otherwise.
 */
function* runLevel(
  context: df.OrchestrationContext,
  tasks: readonly StepTask[],
): Generator<df.Task, StepOutcome[], unknown> {
  const requests: df.Task[] = [];
  const races = tasks.map((task) => {
    // The engine keeps a reply that comes before the attempt waits for it.
    if (task.transport === "queue") requests.push(context.df.callActivity("askAgent", task));
    const step =
      task.transport === "queue"
        ? context.df.waitForExternalEvent(replyEvent(task.step))
        : context.df.callActivity(`${task.agent}Agent`, task);
    const timer = context.df.createTimer(new Date(task.completeBy));
    return { step, timer, race: context.df.Task.any([step, timer]) };
  });
  const winners = (yield context.df.Task.all([...races.map(({ race }) => race), ...requests])) as df.Task[];
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
