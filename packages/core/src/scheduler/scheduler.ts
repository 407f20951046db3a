// The scheduler (P4, P5, P8, P14): runs one attempt at a job; the domain decides which steps can begin next.

import * as df from "durable-functions";
import {
  type Attempt,
  advance,
  continued,
  FIRST_LOOK_MS,
  firstObstacle,
  lookOf,
  looksAt,
  PROGRESS,
  runKey,
  type StepOutcome,
  type StepTask,
  tasksToBegin,
  waitsUntil,
} from "../domain/steps/attempt.ts";
import { HistoryLength } from "../domain/steps/history-length.ts";
import { knowsAll } from "../domain/steps/news.ts";
import { type NextPolls, nextPolls } from "../domain/steps/next-polls.ts";
import { keyOf, type PollTask } from "../domain/steps/poll.ts";

/** About two hours in all. */
const PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 300_000;
const TRIES = 30;
/**
 * The engine on Azure Storage has timers of at most six days (Durable Functions documentation, "Timers"). The library splits a longer timer into
 * several as they fire, which is not reliable if timers are cancelled. So this orchestration waits again itself.
 */
const LONGEST_TIMER_MS = 2 * 86_400_000;

/** An attempt that must come to rest before it continues as new looks this often whether its activities have ended. */
const REST_MS = 1000;

/**
 * The orchestration of one attempt at a job: begins steps, waits for their results, and ends the attempt. The job is claimed for this attempt
 * before the orchestration starts. If its history becomes long it continues as new, with what it knows as its input. Events may be lost then, so it
 * first reads the record.
 */
export function* scheduler(context: df.OrchestrationContext): Generator<df.Task, string, unknown> {
  let attempt = context.df.getInput() as Attempt;
  const begun = new Set<string>(attempt.begun);
  const asked = new Set<string>();
  const history = new HistoryLength(attempt);
  let wait: Wait = { until: "", looks: 0, due: NOTHING, event: undefined };
  let behindSince = attempt.begun && readsNow(context);
  for (;;) {
    if (history.isOver) {
      context.df.continueAsNew(continued(attempt, begun, history.hasFailed));
      return "continued";
    }
    // It waits until it knows the record: a step needs the results of all steps before it.
    const tasks = behindSince === undefined ? tasksToBegin(attempt, begun) : [];
    for (const task of tasks) begun.add(runKey(task));
    const until = behindSince ?? waitsUntil(attempt);
    if (until === undefined) return "concluded";
    if (until !== wait.until) wait = { ...wait, until, looks: 0 };
    for (const poll of wait.due.polls) asked.add(keyOf(poll));
    let received: Received;
    try {
      const isAwaited = tasks.length > 0 && tasks.every((task) => task.isAwaited);
      received = isAwaited
        ? { outcomes: yield* together(context, tasks, history), due: NOTHING, event: wait.event }
        : yield* nextProgress(
            context,
            attempt,
            tasks,
            wait,
            history.isFull ? undefined : nextPolls(attempt, asked),
            history,
          );
    } catch (fault) {
      yield* publishEnd(context, attempt);
      throw fault;
    }
    const { outcomes, due, event } = received;
    history.received(outcomes);
    wait = { ...wait, due, event, looks: wait.looks + (due.isLook ? 1 : 0) };
    const obstacle = firstObstacle(outcomes);
    // A rejection is published by the activity that recorded it, and what the attempt owed by whoever made the next one: all else nobody may know.
    const isPublished = obstacle?.kind === "rejected" || (obstacle?.kind === "superseded" && obstacle.by !== undefined);
    if (obstacle && !isPublished) yield* publishEnd(context, attempt);
    if (obstacle) return obstacle.kind;
    for (const outcome of outcomes) {
      if (outcome.kind !== "completed") continue;
      if (outcome.hasEnded && history.hasFailed) yield* publishEnd(context, attempt);
      if (outcome.hasEnded) return "concluded";
      attempt = advance(attempt, outcome);
    }
    const isKnown = knowsAll(attempt.steps, outcomes);
    if (isKnown !== undefined) behindSince = isKnown ? undefined : (behindSince ?? readsNow(context));
  }
}

/** It has nothing to wait for before it has read the record. */
function readsNow(context: df.OrchestrationContext): string {
  return new Date(context.df.currentUtcDateTime.getTime() - FIRST_LOOK_MS).toISOString();
}

/** The time since the last event. */
interface Wait {
  /** The instant when all pending work of the attempt has expired. */
  readonly until: string;
  readonly looks: number;
  readonly due: Due;
  /** Waited for, and not received. */
  readonly event: df.Task | undefined;
}

/** The work that is due when a time is reached without an event. */
interface Due {
  readonly isLook: boolean;
  readonly polls: readonly PollTask[];
}

const NOTHING: Due = { isLook: false, polls: [] };

interface Received {
  readonly outcomes: readonly StepOutcome[];
  readonly due: Due;
  readonly event: df.Task | undefined;
}

/** If the attempt stopped early, it may still have ended its job: store or bus may have been unavailable at that moment, and be available again. */
function* publishEnd(context: df.OrchestrationContext, ended: Attempt): Generator<df.Task, void, unknown> {
  const patience = new df.RetryOptions(PAUSE_MS, TRIES);
  patience.backoffCoefficient = 2;
  patience.maxRetryIntervalInMilliseconds = LONGEST_PAUSE_MS;
  yield context.df.callActivityWithRetry("publishEnd", patience, subjectOf(ended));
}

function subjectOf({ jobId, attempt, lockedBy, reply }: Attempt) {
  return { jobId, attempt, lockedBy, traceparent: reply.traceparent };
}

/** No step can begin before all of these have ended, and agents in this app enforce their times themselves: no timer, no event. */
function* together(
  context: df.OrchestrationContext,
  tasks: readonly StepTask[],
  history: HistoryLength,
): Generator<df.Task, StepOutcome[], unknown> {
  const runs = tasks.map((task) => context.df.callActivity(`${task.agent}Agent`, task));
  history.began(runs, tasks);
  const [only] = runs;
  if (only && runs.length === 1) return [(yield only) as StepOutcome];
  return (yield context.df.Task.all(runs)) as StepOutcome[];
}

/**
 * Begins these steps in parallel with those in progress, and waits for the next event: an agent's activity, a reply, another attempt or a look at
 * the record reports that there is work to begin, or to end. A pending task may be used in only one composite, because otherwise the engine runs
 * it again. So an activity that was begun is not waited for again, and no activity ends the wait by itself, because "never" never completes. An
 * event is waited for until it comes: of several waits for it, one engine ends the first, and another one the last.
 * @param next the polls of services that do a step later, and their times
 */
function* nextProgress(
  context: df.OrchestrationContext,
  attempt: Attempt,
  tasks: readonly StepTask[],
  { until, looks, due, event }: Wait,
  next: NextPolls | undefined,
  history: HistoryLength,
): Generator<df.Task, Received, unknown> {
  const progress = event ?? context.df.waitForExternalEvent(PROGRESS);
  const lookAt = looksAt(until, looks);
  const pollAt = next && new Date(next.at);
  const isPollFirst = pollAt !== undefined && pollAt < lookAt;
  const wanted = isPollFirst ? pollAt : lookAt;
  const latest = new Date(context.df.currentUtcDateTime.getTime() + (history.isFull ? REST_MS : LONGEST_TIMER_MS));
  const isCut = latest < wanted;
  const timer = context.df.createTimer(isCut ? latest : wanted);
  const race: df.Task[] = [progress, timer];
  const runs = tasks.map((task) => context.df.callActivity(activityOf(task), task));
  // Without the engine's own retries, which do not work with a timer that is cancelled: the next look is the retry.
  if (due.isLook) runs.push(context.df.callActivity("findProgress", { ...subjectOf(attempt), ...lookOf(attempt) }));
  for (const poll of due.polls) runs.push(context.df.callActivity("pollStep", poll));
  history.began(runs, [...tasks, ...due.polls]);
  // Each by itself: one engine fails a Task.all with the first task that fails, another waits for all of them.
  for (const run of runs) race.push(context.df.Task.all([run, context.df.waitForExternalEvent("never")]));
  yield context.df.Task.any(race);
  const isTime = timer.isCompleted;
  // A fired timer can't be cancelled; a pending one would keep the orchestration from ending.
  if (!isTime) timer.cancel();
  if (progress.isCompleted) return { outcomes: [progress.result as StepOutcome], due: NOTHING, event: undefined };
  // An activity that failed ends the race too: work that is due at a later time stays due at that time.
  if (!isTime || isCut) return { outcomes: [], due: NOTHING, event: progress };
  const later = isPollFirst ? { isLook: false, polls: next?.polls ?? [] } : { isLook: true, polls: [] };
  return { outcomes: [], due: later, event: progress };
}

function activityOf({ transport, agent }: StepTask): string {
  return transport === "queue" ? "askAgent" : `${agent}Agent`;
}
