// Measures the gauges: the number of jobs in each state, and the age of waiting messages; notes them for the overview; has stopped bulk runs go on; and
// leaves a sign that it ran.
import type { FunctionInput, InvocationContext, Timer } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { instant } from "@scheduler-agent-supervisor/core/domain";
import { engineClient } from "@scheduler-agent-supervisor/core/functions";
import { startOnce, type Telemetry } from "@scheduler-agent-supervisor/core/scheduling";
import { logTelemetry } from "@scheduler-agent-supervisor/core/telemetry";
import * as df from "durable-functions";
import { deskOf } from "../compose.ts";
import { signAfter } from "../domain/gauges-freshness.ts";
import { keepBulkRunning } from "../operations/keep-bulk-running.ts";
import { attempted, measureGauges } from "../operations/measure-gauges.ts";
import { takeSample } from "../operations/take-sample.ts";

/** The inputs of the timer function: it starts the orchestrations of bulk runs. */
export const gaugesInputs: FunctionInput[] = [df.input.durableClient()];

/**
 * The timer function that measures the gauges, and has bulk runs go on whose turns have stopped. Never throws: a gauge that can't be measured, and a
 * run that can't be looked after, is an event, and the next run tries again.
 */
export const gauges =
  (application: App) =>
  async (timer: Timer, context: InvocationContext): Promise<void> => {
    const telemetry = logTelemetry(context);
    const [measured, ...others] = await Promise.all([
      measureGauges({ ...deskOf(application).gauges, telemetry }),
      attempted("last hour", () => takeSample(deskOf(application).samples), telemetry),
      attempted("bulk runs", () => lookAfterBulkRuns(application, context, telemetry), telemetry),
    ]);
    const [fault] = [...measured, ...others.flatMap((each) => each ?? [])];
    await attempted("sign of life", () => leaveSign(application, nextOf(timer), fault), telemetry);
  };

/** The run before may have been another process's: what it found is in its sign. */
async function leaveSign(application: App, nextAt: string | null, fault: string | undefined): Promise<void> {
  const { gauges: ports, gaugesSigns } = deskOf(application);
  const before = fault === undefined ? undefined : await gaugesSigns.read();
  await gaugesSigns.write(signAfter(before, { at: instant(ports.now()), nextAt, fault }));
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
