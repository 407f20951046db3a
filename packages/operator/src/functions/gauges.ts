// Measures the gauges: the number of jobs in each state, and the age of waiting messages. And has stopped bulk runs go on.
import type { FunctionInput, InvocationContext, Timer } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/internal/app/create-app";
import { engineClient } from "@scheduler-agent-supervisor/core/internal/functions/engine-client";
import type { Telemetry } from "@scheduler-agent-supervisor/core/internal/scheduler/ports";
import { startOnce } from "@scheduler-agent-supervisor/core/internal/scheduler/scheduler-client";
import { logTelemetry } from "@scheduler-agent-supervisor/core/internal/telemetry/events";
import * as df from "durable-functions";
import { deskOf } from "../compose.ts";
import { keepBulkRunning } from "../operations/keep-bulk-running.ts";
import { measureGauges } from "../operations/measure-gauges.ts";

/** The inputs of the timer function: it starts the orchestrations of bulk runs. */
export const gaugesInputs: FunctionInput[] = [df.input.durableClient()];

/**
 * The timer function that measures the gauges, and has bulk runs go on whose turns have stopped. Never throws: a gauge that can't be measured, and a
 * run that can't be looked after, is an event, and the next run tries again.
 */
export const gauges =
  (application: App) =>
  async (_timer: Timer, context: InvocationContext): Promise<void> => {
    const telemetry = logTelemetry(context);
    await Promise.all([
      measureGauges({ ...deskOf(application).gauges, telemetry }),
      lookAfterBulkRuns(application, context, telemetry),
    ]);
  };

async function lookAfterBulkRuns(application: App, context: InvocationContext, telemetry: Telemetry): Promise<void> {
  const start = (instanceId: string, bulkId: string) => startOnce(engineClient(context), "bulkRun", instanceId, bulkId);
  try {
    await keepBulkRunning(start, { ...deskOf(application).bulk, telemetry });
  } catch (cause) {
    telemetry.event("GaugesNotMeasured", { what: "bulk runs", cause: String(cause) });
  }
}
