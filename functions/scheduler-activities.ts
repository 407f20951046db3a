// The scheduler's own activity: the claim.
import * as df from "durable-functions";
import { ports } from "../shared/compose.ts";
import type { Wake } from "../shared/domain/attempt.ts";
import { claimOrder } from "../shared/operations/claim-order.ts";
import { logTelemetry } from "../shared/telemetry/events.ts";

df.app.activity("claimOrder", {
  handler: (wake: Wake, context) => claimOrder(wake, ports(), logTelemetry(context)),
});
