// One turn of an action on many jobs, as an activity.
import type { InvocationContext } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { observe } from "@scheduler-agent-supervisor/core/telemetry";
import { deskOf } from "../compose.ts";
import { type BulkTurn, runBulk } from "../operations/run-bulk.ts";

/**
 * The activity `bulkTurn`: acts on some of the jobs, and returns that the action is over, or the milliseconds until the next turn.
 * @throws if the store is unavailable: the orchestration calls it again
 */
export const bulkTurn =
  (application: App) =>
  (bulkId: string, context: InvocationContext): Promise<BulkTurn> =>
    observe(context, { attributes: { bulkId } }, (telemetry) =>
      runBulk(bulkId, { ...deskOf(application).bulk, telemetry }),
    );
