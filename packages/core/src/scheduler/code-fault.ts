// What the app's own code throws (P33): it is named and recorded, and what waits for a version whose code does not throw is held.

import type { LastError } from "../agents/agent.ts";
import { bounded } from "../agents/bounds.ts";
import { errorWithout, textWithout } from "../domain/content/redactor.ts";
import { CodeThrew, Outage } from "../domain/outage.ts";
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
    throw thrownWithout(cause, typeof secrets === "function" ? secrets : () => secrets);
  }
}

export function thrownWithout(cause: unknown, secrets: () => readonly string[]): unknown {
  if (isThrown(CodeThrew, cause)) return new CodeThrew(cause.place, textWithout(cause.words, secrets()));
  return isThrown(Outage, cause) ? cause : errorWithout(cause, secrets());
}

/**
 * The fault of the step's code, with its place. A request may have gone out before it was thrown.
 * @throws the cause, if store, bus or engine are unavailable: that is no fault of the code
 */
export function codeFaultOf(cause: unknown, { agent, operation }: Pick<StepTask, "agent" | "operation">): LastError {
  if (isThrown(CodeThrew, cause)) return thrownIn(cause.place, cause.words);
  if (isThrown(Outage, cause)) throw cause;
  // The code threw nothing: what it answered is more than a record takes.
  if (isThrown(NotStorable, cause)) return { endpoint: agent, message: bounded(cause.message) };
  return thrownIn(`${agent}.${operation}`, inWords(cause));
}

function thrownIn(place: string, words: string): LastError {
  return { endpoint: place, message: bounded(`the code of the app failed: ${words}`), ofCode: true };
}

/** For the alert: which version of which workflow waits, and for what. */
export function reportCode(
  { jobId, attempt, step, agent, workflow }: Pick<StepTask, "jobId" | "attempt" | "step" | "agent" | "workflow">,
  { endpoint: place, message }: Pick<LastError, "message"> & { readonly endpoint: string | null },
  telemetry: Telemetry,
): void {
  const { name, version } = workflow;
  telemetry.event("CodeFailed", { jobId, attempt, step, agent, workflow: name, version, place, message });
}
