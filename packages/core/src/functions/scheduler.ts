// The scheduler (P4, P5, P8, P14): runs one attempt at a job; what can be begun next is the domain's to say.

import * as df from "durable-functions";
import {
  type Attempt,
  advance,
  firstObstacle,
  looksAt,
  PROGRESS,
  runKey,
  type StepOutcome,
  type StepTask,
  tasksToBegin,
  waitsUntil,
} from "../domain/attempt.ts";
import { keyOf, type NextPolls, nextPolls, type Poll } from "../domain/poll.ts";

/** About two hours in all. */
const PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 300_000;
const TRIES = 30;
/**
 * The engine on Azure Storage has timers of at most six days (Durable Functions documentation, "Timers"), and the library makes several of a longer one
 * as they fire, which can't be relied on where timers are cancelled: this one waits again.
 */
const LONGEST_TIMER_MS = 2 * 86_400_000;

/**
 * The orchestration of one attempt at a job: begins steps, waits for what comes of them, and ends the attempt. The job is claimed for this attempt
 * before it starts.
 */
export function* scheduler(context: df.OrchestrationContext): Generator<df.Task, string, unknown> {
  let attempt = context.df.getInput() as Attempt;
  const begun = new Set<string>();
  const asked = new Set<string>();
  let wait: Wait = { until: "", looks: 0, due: NOTHING };
  for (;;) {
    const tasks = tasksToBegin(attempt, begun);
    for (const task of tasks) begun.add(runKey(task));
    const until = waitsUntil(attempt);
    if (until === undefined) return "concluded";
    if (until !== wait.until) wait = { until, looks: 0, due: wait.due };
    for (const poll of wait.due.polls) asked.add(keyOf(poll));
    let received: Received;
    try {
      const isAwaited = tasks.length > 0 && tasks.every((task) => task.isAwaited);
      received = isAwaited
        ? { outcomes: yield* together(context, tasks), due: NOTHING }
        : yield* nextProgress(context, attempt, tasks, wait, nextPolls(attempt, asked));
    } catch (fault) {
      yield* publishEnd(context, attempt);
      throw fault;
    }
    const { outcomes, due } = received;
    wait = { ...wait, due, looks: wait.looks + (due.isLook ? 1 : 0) };
    // Rejected: whoever recorded it has published it. Expired or superseded: silence, and the supervisor finds the record.
    const obstacle = firstObstacle(outcomes);
    if (obstacle && obstacle !== "rejected") yield* publishEnd(context, attempt);
    if (obstacle) return obstacle;
    for (const outcome of outcomes) {
      if (outcome.kind !== "completed") continue;
      if (outcome.hasEnded) return "concluded";
      attempt = advance(attempt, outcome);
    }
  }
}

/** How long nothing has been received. */
interface Wait {
  /** When all that the attempt waits for has expired. */
  readonly until: string;
  readonly looks: number;
  readonly due: Due;
}

/** What there is to do once a time is over without an event. */
interface Due {
  readonly isLook: boolean;
  readonly polls: readonly Poll[];
}

const NOTHING: Due = { isLook: false, polls: [] };

interface Received {
  readonly outcomes: readonly StepOutcome[];
  readonly due: Due;
}

/** Broken off, the attempt may have ended its job all the same: store or bus were away just then, and come back. */
function* publishEnd(context: df.OrchestrationContext, ended: Attempt): Generator<df.Task, void, unknown> {
  const patience = new df.RetryOptions(PAUSE_MS, TRIES);
  patience.backoffCoefficient = 2;
  patience.maxRetryIntervalInMilliseconds = LONGEST_PAUSE_MS;
  yield context.df.callActivityWithRetry("publishEnd", patience, subjectOf(ended));
}

function subjectOf({ jobId, attempt, lockedBy, reply }: Attempt) {
  return { jobId, attempt, lockedBy, traceparent: reply.traceparent };
}

/** Nothing can be begun before all of them have ended, and agents in this app keep their times by themselves: no timer, no event. */
function* together(
  context: df.OrchestrationContext,
  tasks: readonly StepTask[],
): Generator<df.Task, StepOutcome[], unknown> {
  const runs = tasks.map((task) => context.df.callActivity(`${task.agent}Agent`, task));
  const [only] = runs;
  if (only && runs.length === 1) return [(yield only) as StepOutcome];
  return (yield context.df.Task.all(runs)) as StepOutcome[];
}

/**
 * Begins these beside what is at work, and waits for the next event: an agent's activity, a reply, another attempt or a look at the record says that there is
 * something to begin, or to end. A pending task may be used in one composite only, since the engine runs it again otherwise: so a task that
 * was begun is not waited for again, and none ends the wait by itself, for "never" never comes.
 * @param next what is to be asked of services that do a step later, and when
 */
function* nextProgress(
  context: df.OrchestrationContext,
  attempt: Attempt,
  tasks: readonly StepTask[],
  { until, looks, due }: Wait,
  next: NextPolls | undefined,
): Generator<df.Task, Received, unknown> {
  const progress = context.df.waitForExternalEvent(PROGRESS);
  const lookAt = looksAt(until, looks);
  const pollAt = next && new Date(next.at);
  const isPollFirst = pollAt !== undefined && pollAt < lookAt;
  const wanted = isPollFirst ? pollAt : lookAt;
  const latest = new Date(context.df.currentUtcDateTime.getTime() + LONGEST_TIMER_MS);
  const isCut = latest < wanted;
  const timer = context.df.createTimer(isCut ? latest : wanted);
  const race: df.Task[] = [progress, timer];
  const runs = tasks.map((task) => context.df.callActivity(activityOf(task), task));
  // Without the engine's own retries, which it does not bear beside a timer that is cancelled: the next look is the retry.
  if (due.isLook) runs.push(context.df.callActivity("findProgress", subjectOf(attempt)));
  for (const poll of due.polls) runs.push(context.df.callActivity("pollStep", poll));
  if (runs.length > 0) {
    race.push(context.df.Task.all([...runs, context.df.waitForExternalEvent("never")]));
  }
  yield context.df.Task.any(race);
  const isTime = timer.isCompleted;
  // One that has fired can't be cancelled; one that has not would keep the orchestration from ending.
  if (!isTime) timer.cancel();
  if (progress.isCompleted) return { outcomes: [progress.result as StepOutcome], due: NOTHING };
  // An activity that failed ends the race too: what is due then is so at its time, and not at once.
  if (!isTime || isCut) return { outcomes: [], due: NOTHING };
  return { outcomes: [], due: isPollFirst ? { isLook: false, polls: next?.polls ?? [] } : { isLook: true, polls: [] } };
}

function activityOf({ transport, agent }: StepTask): string {
  return transport === "queue" ? "askAgent" : `${agent}Agent`;
}
