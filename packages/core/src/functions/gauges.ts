// Measures the gauges: how many jobs stand where, and how long messages wait.
import type { InvocationContext, Timer } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { measureGauges } from "../operations/measure-gauges.ts";
import { logTelemetry } from "../telemetry/events.ts";

/** The timer function that measures the gauges. Never throws: a number that can't be counted is an event, and the next run counts again. */
export const gauges =
  (application: App) =>
  (_timer: Timer, context: InvocationContext): Promise<void> =>
    measureGauges({ ...application.gaugePorts(), telemetry: logTelemetry(context) });
