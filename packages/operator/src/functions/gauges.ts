// Measures the gauges: the number of jobs in each state, and the age of waiting messages.
import type { InvocationContext, Timer } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/internal/app/create-app";
import { logTelemetry } from "@scheduler-agent-supervisor/core/internal/telemetry/events";
import { deskOf } from "../compose.ts";
import { measureGauges } from "../operations/measure-gauges.ts";

/** The timer function that measures the gauges. Never throws: a gauge that can't be measured is an event, and the next run measures it again. */
export const gauges =
  (application: App) =>
  (_timer: Timer, context: InvocationContext): Promise<void> =>
    measureGauges({ ...deskOf(application).gauges, telemetry: logTelemetry(context) });
