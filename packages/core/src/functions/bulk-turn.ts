// One turn of an action on many jobs, as an activity.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { runBulk } from "../operations/run-bulk.ts";
import { observe } from "../telemetry/invocation.ts";

export const bulkTurn = (application: App) => (bulkId: string, context: InvocationContext) =>
  observe(context, { attributes: { bulkId } }, (telemetry) =>
    runBulk(bulkId, { ...application.bulkPorts(), telemetry }),
  );
