// The scheduler (P4, P5, P8, P14): runs one attempt at an order, level by level; what comes next is the domain's to say.
import * as df from "durable-functions";
import {
  type Attempt,
  advance,
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

/** The order is claimed for this attempt before it starts. */
df.app.orchestration("scheduler", function* (context) {
  let attempt = context.df.getInput() as Attempt;
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
 * The level's steps side by side. An agent in this app keeps its time by itself, so its activity needs no timer; a reply may never
 * come. Each task is used in one composite only: the engine runs it again otherwise.
 */
function* runLevel(
  context: df.OrchestrationContext,
  tasks: readonly StepTask[],
): Generator<df.Task, StepOutcome[], unknown> {
  const [only] = tasks;
  if (only?.transport === "activity" && tasks.length === 1) {
    return [(yield context.df.callActivity(`${only.agent}Agent`, only)) as StepOutcome];
  }
  const requests: df.Task[] = [];
  const steps = tasks.map((task) => {
    if (task.transport === "activity") return { run: context.df.callActivity(`${task.agent}Agent`, task) };
    requests.push(context.df.callActivity("askAgent", task));
    // The engine keeps a reply that comes before the attempt waits for it.
    const reply = context.df.waitForExternalEvent(replyEvent(task.step));
    const timer = context.df.createTimer(new Date(task.completeBy));
    return { run: context.df.Task.any([reply, timer]), reply, timer };
  });
  const ended = (yield context.df.Task.all([...steps.map(({ run }) => run), ...requests])) as unknown[];
  return steps.map(({ reply, timer }, index): StepOutcome => {
    if (!timer) return ended[index] as StepOutcome;
    // A timer that has fired can't be cancelled; one that has not would keep the orchestration from ending.
    if (!timer.isCompleted) timer.cancel();
    return ended[index] === reply ? (reply.result as StepOutcome) : { kind: "expired" };
  });
}
