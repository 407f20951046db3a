// Measures the gauges: the number of jobs in each state, and the age of waiting messages; notes them for the overview; and has stopped bulk runs go on.
import type { FunctionInput, InvocationContext, Timer } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { inWords } from "@scheduler-agent-supervisor/core/domain";
import { engineClient } from "@scheduler-agent-supervisor/core/hosting";
import { startOnce, type Telemetry } from "@scheduler-agent-supervisor/core/scheduling";
import { logTelemetry } from "@scheduler-agent-supervisor/core/telemetry";
import * as df from "durable-functions";
import { deskOf } from "../compose.ts";
import { keepBulkRunning } from "../operations/keep-bulk-running.ts";
import { measureGauges } from "../operations/measure-gauges.ts";
import { takeSample } from "../operations/take-sample.ts";

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
      attempted("last hour", () => takeSample(deskOf(application).samples), telemetry),
      attempted("bulk runs", () => lookAfterBulkRuns(application, context, telemetry), telemetry),
    ]);
  };

async function lookAfterBulkRuns(application: App, context: InvocationContext, telemetry: Telemetry): Promise<void> {
  const start = (instanceId: string, bulkId: string) => startOnce(engineClient(context), "bulkRun", instanceId, bulkId);
  await keepBulkRunning(start, { ...deskOf(application).bulk, telemetry });
}

async function attempted(what: string, work: () => Promise<void>, telemetry: Telemetry): Promise<void> {
  try {
    await work();
  } catch (cause) {
    telemetry.event("GaugesNotMeasured", { what, cause: inWords(cause) });
  }
}
