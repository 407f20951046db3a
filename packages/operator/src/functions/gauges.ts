// Measures the gauges: the number of jobs in each state, and the age of waiting messages; notes them for the overview; has stopped bulk runs go on; and
// leaves a sign that it ran.
import type { FunctionInput, InvocationContext, Timer } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { instant, inWords } from "@scheduler-agent-supervisor/core/domain";
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
export function gauges(application: App) {
  let failingSince: string | undefined;
  return async (timer: Timer, context: InvocationContext): Promise<void> => {
    const telemetry = logTelemetry(context);
    const [measured, ...others] = await Promise.all([
      measureGauges({ ...deskOf(application).gauges, telemetry }),
      attempted("last hour", () => takeSample(deskOf(application).samples), telemetry),
      attempted("bulk runs", () => lookAfterBulkRuns(application, context, telemetry), telemetry),
    ]);
    const [fault] = [...measured, ...others.flatMap((each) => each ?? [])];
    const at = instant(deskOf(application).gauges.now());
    failingSince = fault === undefined ? undefined : (failingSince ?? at);
    const failing = fault === undefined || failingSince === undefined ? null : { since: failingSince, fault };
    const sign = { at, nextAt: nextOf(timer), failing };
    await attempted("sign of life", () => deskOf(application).gaugesSigns.write(sign), telemetry);
  };
}

/** In UTC, whatever form the host gives it. */
function nextOf({ scheduleStatus }: Timer): string | null {
  const next = Date.parse(scheduleStatus?.next ?? "");
  return Number.isNaN(next) ? null : instant(next);
}

async function lookAfterBulkRuns(application: App, context: InvocationContext, telemetry: Telemetry): Promise<void> {
  const start = (instanceId: string, bulkId: string) => startOnce(engineClient(context), "bulkRun", instanceId, bulkId);
  await keepBulkRunning(start, { ...deskOf(application).bulk, telemetry });
}

/** @returns why it could not be done */
async function attempted(what: string, work: () => Promise<void>, telemetry: Telemetry): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (cause) {
    telemetry.event("GaugesNotMeasured", { what, cause: inWords(cause) });
    return `${what}: ${inWords(cause)}`;
  }
}
