// Steps whose agents are in this app (P6, P8): calls each within the step's time, records the result, and goes on to the next one.

import type { Fault, RoutedAgent } from "../../agents/agent.ts";
import { longestStepMs, START_WITHIN_MS, USUAL_TIMEOUT } from "../../domain/definition/workflow.ts";
import { durationMs } from "../../domain/duration.ts";
import { isInHand, runOf } from "../../domain/record/plan.ts";
import type { StepRun } from "../../domain/record/state-record.ts";
import { followingTask, type StepEnd, type StepTask } from "../../domain/steps/attempt.ts";
import { handedOut } from "../admission/agent-presence.ts";
import { codeFaultOf, throwingWithout } from "../code-fault.ts";
import type { Asking } from "../ports.ts";
import { acceptedBefore, acceptStep } from "./accept-step.ts";
import { recordAnswer, recordedEnd } from "./record-step.ts";
import { requestOf, unasked } from "./step-request.ts";
import { TakeUp } from "./take-up.ts";
import { answeredLate, beginsIn, expire, failStep, patienceOf, recordFault } from "./unanswered.ts";

/**
 * Order of effects: the record of the start, if it was late or the step takes long; the remote service's effect; the record of the result, or of what
 * is known of its last try shortly before complete-by; the status message. After complete-by nothing. If it runs again after a crash in between, the service recognises the idempotency key, the record shows the step done, and the
 * message has the same id.
 */
export function runStep(given: StepTask, context: Asking): Promise<StepEnd> {
  return handedOut(context.presence, () => takenUp(given, context));
}

async function takenUp(given: StepTask, context: Asking): Promise<StepEnd> {
  const overtaken = await beginsIn(given, context);
  if (overtaken) return overtaken;
  const agent = context.agents.get(given.agent);
  if (!agent)
    throw new Error(`step ${given.step} of job ${given.jobId} needs the agent ${given.agent}, which is not here`);
  const run = new TakeUp(given, agent.isNotRepeated?.(given.operation) ?? false, context);
  try {
    return await callAgent(given, agent, run, context);
  } catch (cause) {
    return failStep(given, run, codeFaultOf(cause, given), context);
  }
}

async function callAgent(given: StepTask, agent: RoutedAgent, run: TakeUp, context: Asking): Promise<StepEnd> {
  // An earlier run of this activity did it: its end is published again, and its agent is not called.
  if (isOver(runOf(given.record, given.direction))) return (await recordedEnd(given, context, true)) ?? SUPERSEDED;
  const { request, secrets, isClosed, begun } = await requestOf(given, context);
  const { task } = begun;
  const { priority } = task;
  run.task = task;
  // The job is closed: an earlier run of this task completed it, and crashed before it published that.
  if (isClosed) return expire(task, "StepNotTakenUp", 0, context);
  if (begun.kind === "superseded") return (await recordedEnd(task, context, true)) ?? SUPERSEDED;
  if (begun.kind !== "begun") return recordAnswer(task, unasked(begun), context);
  let isNoted = false;
  const noteFault = async (fault: Fault) => {
    // Past complete-by nothing is recorded (P8).
    isNoted ||= run.isInTime && (await recordFault(task, fault, context));
  };
  const bounds = {
    ...{ secrets, priority, startBy: patienceOf(task, context), noteFault },
    takeUp: () => run.begin(),
    stillAtWork: () => run.record(),
  };
  const reply = await throwingWithout(secrets, () => agent.call(task.operation, request, bounds));
  if (run.isPast && reply.kind !== "expired") return answeredLate(task, context);
  switch (reply.kind) {
    case "expired": {
      const { tries, lastError } = reply;
      if (lastError) await noteFault({ tries, lastError });
      return expire(task, "AgentTimedOut", tries, context, isNoted);
    }
    case "notTakenUp":
      return (run.isAccepted && (await acceptedBefore(task, context))) || expire(task, "StepNotTakenUp", 0, context);
    case "accepted":
    case "pending":
      return acceptStep(task, { ...reply, startedAt: run.startedAt }, context);
    case "rejected":
      return recordAnswer(task, { ...reply, ...certaintyOf(reply, agent, task), startedAt: run.startedAt }, context);
    case "done":
      return recordAnswer(task, { ...reply, startedAt: run.startedAt }, context);
    default:
      return reply satisfies never;
  }
}

/** The record has the outcome as unknown since the start: the answer decides. */
export function certaintyOf(
  { outcomeUnknown = false }: { readonly outcomeUnknown?: boolean | undefined },
  agent: RoutedAgent,
  { operation }: Pick<StepTask, "operation">,
): { readonly outcomeUnknown?: boolean } {
  return agent.isNotRepeated?.(operation) ? { outcomeUnknown } : {};
}

const SUPERSEDED: StepEnd = { outcome: { kind: "superseded" }, receiver: null };

const isOver = (run: StepRun | null) => run !== null && run.state !== "NotStarted" && !isInHand(run);

/** How long after its start an activity begins further steps: as long it keeps its place from the steps of other jobs. */
const GOES_ON_MS = 10_000;

/**
 * Runs a step, and continues while its end schedules exactly one more whose agent is in this app, and which is sure to end within the host's limit
 * of an activity, if the activity began not long ago. The scheduler begins the others. Order of effects: each step's own (`runStep`), one step after
 * the other. If it runs again after a crash in between, it repeats the steps; the record shows which are completed.
 * @param run runs one step, with its own context
 * @param now milliseconds since 1970
 * @param timeoutMs the host's limit for one run of a function
 * @param startWithinMs how long an agent may wait for a place at its service
 */
export async function runSteps(
  first: StepTask,
  run: (task: StepTask) => Promise<StepEnd>,
  now: () => number,
  timeoutMs: number = USUAL_TIMEOUT.ms,
  startWithinMs: number = START_WITHIN_MS,
): Promise<StepEnd> {
  if (!first.plan) return run(first);
  const startedAt = now();
  const latest = startedAt + longestStepMs({ ms: timeoutMs });
  let task = first;
  for (;;) {
    const end = await run(task);
    // Another attempt continues.
    if (end.receiver !== null) return end;
    const next = followingTask(task, end.outcome);
    if (
      !next ||
      now() + startWithinMs + (durationMs(next.completeWithin) ?? 0) > latest ||
      now() - startedAt > GOES_ON_MS
    )
      return end;
    task = next;
  }
}
