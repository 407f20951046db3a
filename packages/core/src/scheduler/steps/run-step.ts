// One step whose agent is in this app (P6, P8): calls it within the step's time, and records the result.

import type { Fault, LastError, RoutedAgent } from "../../agents/agent.ts";
import { instant } from "../../domain/duration.ts";
import { isInHand, runOf } from "../../domain/record/plan.ts";
import type { StepRun } from "../../domain/record/state-record.ts";
import type { StepEnd, StepTask } from "../../domain/steps/attempt.ts";
import { noteExpiry } from "../../domain/steps/step-writes.ts";
import { inWords } from "../../domain/thrown.ts";
import { codeFaultOf, throwingWithout } from "../code-fault.ts";
import type { Context, Telemetry } from "../ports.ts";
import { acceptedBefore, acceptStep } from "./accept-step.ts";
import { recordAnswer, recordedEnd, unasked } from "./record-step.ts";
import { requestOf } from "./step-request.ts";
import { TakeUp } from "./take-up.ts";

/**
 * Order of effects: the record of the start, if it was late or the step takes long; the remote service's effect; the record of the result, or of what
 * is known of its last try shortly before complete-by; the status message. After complete-by nothing. If it runs again after a crash in between, the service recognises the idempotency key, the record shows the step done, and the
 * message has the same id.
 */
export async function runStep(given: StepTask, context: Context): Promise<StepEnd> {
  const agent = context.agents.get(given.agent);
  if (!agent)
    throw new Error(`step ${given.step} of job ${given.jobId} needs the agent ${given.agent}, which is not here`);
  const run = new TakeUp(given, agent.isNotRepeated?.(given.operation) ?? false, context);
  try {
    return await callAgent(given, agent, run, context);
  } catch (cause) {
    return failStep(given, run, codeFaultOf(cause, given, context.telemetry), context);
  }
}

/** From now on the supervisor counts the failure, whatever the code had done before. */
async function failStep(task: StepTask, run: TakeUp, lastError: LastError, context: Context): Promise<StepEnd> {
  if (run.startedAt === undefined) await run.begin(false);
  await run.record();
  const isNoted = run.isInTime && (await recordFault(task, { tries: 0, lastError }, context));
  return isNoted ? timeOut(task, "AgentTimedOut", 0, context.telemetry) : expire(task, "AgentTimedOut", 0, context);
}

async function callAgent(given: StepTask, agent: RoutedAgent, run: TakeUp, context: Context): Promise<StepEnd> {
  // An earlier run of this activity did it: its end is published again, and its agent is not called.
  if (isOver(runOf(given.record, given.direction))) return (await recordedEnd(given, context, true)) ?? SUPERSEDED;
  const { request, secrets, isClosed, begun } = await requestOf(given, context);
  const { task } = begun;
  const { startBy, priority } = task;
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
    ...{ secrets, priority, startBy, noteFault },
    takeUp: () => run.begin(),
    stillAtWork: () => run.record(),
  };
  const reply = await throwingWithout(secrets, () => agent.call(task.operation, request, bounds));
  switch (reply.kind) {
    case "expired": {
      const { tries, lastError } = reply;
      if (lastError) await noteFault({ tries, lastError });
      return isNoted
        ? timeOut(task, "AgentTimedOut", tries, context.telemetry)
        : expire(task, "AgentTimedOut", tries, context);
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

/** No message, unless an earlier run of this same task had recorded its outcome before it crashed. */
async function expire(
  task: StepTask,
  event: "AgentTimedOut" | "StepNotTakenUp",
  tries: number,
  context: Context,
): Promise<StepEnd> {
  const end = await recordedEnd(task, context);
  return end ?? timeOut(task, event, tries, context.telemetry);
}

function timeOut(
  task: StepTask,
  event: "AgentTimedOut" | "StepNotTakenUp",
  tries: number,
  telemetry: Telemetry,
): StepEnd {
  const { jobId, attempt, step, agent } = task;
  telemetry.event(event, { jobId, attempt, step, agent, tries });
  // The attempt continues with the other steps in progress, until the supervisor starts another attempt.
  return { outcome: { kind: "expired" }, receiver: null };
}

/**
 * Records why the step is not done in time, for people and for the supervisor. False if that is not known to be recorded: an earlier run of this task
 * recorded its outcome, the supervisor was faster, or the store is unavailable.
 */
async function recordFault(task: StepTask, { tries, lastError }: Fault, context: Context): Promise<boolean> {
  const { jobId, attempt, step } = task;
  const expiry = { at: instant(context.now()), attempt, tries, ...lastError };
  try {
    return (await context.store.change(jobId, noteExpiry(task, expiry))).kind === "written";
  } catch (cause) {
    context.telemetry.event("TakeUpUnrecorded", { jobId, attempt, step, cause: inWords(cause) });
    return false;
  }
}
