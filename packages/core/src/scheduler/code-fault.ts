// What the app's own code throws around a step: it is recorded in the step's run like a service's error, and counts as a failure.

import type { LastError } from "../agents/agent.ts";
import { bounded } from "../agents/bounds.ts";
import { errorWithout } from "../domain/content/redactor.ts";
import { Outage } from "../domain/outage.ts";
import type { StepTask } from "../domain/steps/attempt.ts";
import { inWords, isThrown } from "../domain/thrown.ts";
import { NotStorable } from "../store/job-store.ts";
import type { Telemetry } from "./ports.ts";

/** Runs code of the app with a job: what it throws has none of the job's secrets, because it is recorded and logged. */
export async function throwingWithout<T>(
  secrets: readonly string[] | (() => readonly string[]),
  code: () => T | Promise<T>,
): Promise<T> {
  try {
    return await code();
  } catch (cause) {
    throw cause instanceof Outage ? cause : errorWithout(cause, typeof secrets === "function" ? secrets() : secrets);
  }
}

/**
 * The fault of the step's code. A request may have gone out before it was thrown.
 * @throws the cause, if store, bus or engine are unavailable: that is no fault of the code
 */
export function codeFaultOf(
  cause: unknown,
  task: Pick<StepTask, "jobId" | "attempt" | "step" | "agent">,
  telemetry: Telemetry,
): LastError {
  if (isThrown(Outage, cause)) throw cause;
  const { jobId, attempt, step, agent } = task;
  const what = isThrown(NotStorable, cause) ? cause.message : `the code of the app failed: ${inWords(cause)}`;
  const message = bounded(what);
  telemetry.event("CodeFailed", { jobId, attempt, step, agent, message });
  return { endpoint: agent, message };
}
