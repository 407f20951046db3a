// The hooks of the app: it is checked when it starts, and its telemetry begins with it and is sent before it ends.
import type { PreInvocationContext } from "@azure/functions";
import { checkWorkflows, WorkflowEdited } from "../app/check-workflows.ts";
import type { App } from "../app/create-app.ts";
import { inWords } from "../domain/thrown.ts";
import { sleep } from "../domain/timer.ts";
import { processTelemetry } from "../telemetry/events.ts";
import { recordingExceptions } from "../telemetry/exceptions.ts";
import { flushTelemetry, isExporting, startTelemetry } from "../telemetry/start.ts";

/** The host waits for this; an unavailable store must not keep the app from starting. */
const CHECK_WITHIN_MS = 5000;

/**
 * The hook at the host's start that checks the app, and records its workflows' versions.
 * @throws one error that names all faults in the app's settings and workflows
 */
export const checkApp = (application: App) => async (): Promise<void> => {
  const faults = application.startFaults();
  if (faults.length > 0) {
    processTelemetry.event("AppNotStarted", { faults: faults.join("\n") });
    throw new Error(faults.join("\n"));
  }
  const limit = new AbortController();
  try {
    await Promise.race([check(application), sleep(CHECK_WITHIN_MS, { signal: limit.signal, isIdle: true })]);
  } finally {
    limit.abort();
  }
};

/** @throws WorkflowEdited, and nothing else: an unavailable store does not stop the start */
async function check(application: App): Promise<void> {
  try {
    const { known, register } = application.workflowPorts();
    await checkWorkflows(known, register, processTelemetry);
  } catch (cause) {
    if (cause instanceof WorkflowEdited) {
      processTelemetry.event("WorkflowEdited", { faults: cause.message });
      throw cause;
    }
    processTelemetry.event("WorkflowsUnchecked", { cause: inWords(cause) });
  }
}

/** The host gives its workers a few seconds. */
const FLUSH_WITHIN_MS = 2000;

/** The hooks of the app that start its telemetry, and send the rest at its end; without `preInvocation` if nothing is exported. */
export function telemetryHooks({ telemetrySettings }: App) {
  return {
    // Wraps the body of every function, in any file.
    preInvocation: isExporting(telemetrySettings) ? recordInvocation : undefined,
    appStart: () => startTelemetry(telemetrySettings),
    appTerminate: () => flushTelemetry(FLUSH_WITHIN_MS),
  };
}

function recordInvocation(invocation: PreInvocationContext): void {
  const { functionHandler: body, invocationContext } = invocation;
  invocation.functionHandler = (...inputs) => recordingExceptions(invocationContext, () => body(...inputs));
}
