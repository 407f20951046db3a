// Takes stock for the gauges at an interval: how many orders stand where, and how long messages wait.
import { app } from "@azure/functions";
import { stockPorts } from "../shared/compose.ts";
import { takeStock } from "../shared/operations/take-stock.ts";
import { logTelemetry } from "../shared/telemetry/events.ts";

app.timer("stock", {
  schedule: "%StockSchedule%",
  handler: (_timer, context) => takeStock(stockPorts(), logTelemetry(context)),
});
