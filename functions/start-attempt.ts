// The scheduler's own queue (P10): the supervisor or an operator asks here for an order's next attempt.
import { app, type InvocationContext } from "@azure/functions";
import type { StartAttempt } from "@scheduler-agent-supervisor/core/domain/attempt";
import { parseStartAttempt } from "@scheduler-agent-supervisor/core/messaging/start-attempt-message";
import { claimOrder } from "@scheduler-agent-supervisor/core/operations/claim-order";
import { startClaimed } from "@scheduler-agent-supervisor/core/scheduler-client";
import { observeMessage } from "@scheduler-agent-supervisor/core/telemetry/invocation";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";
import { workOnMessage } from "./messages/work-on-message.ts";

app.serviceBusQueue("startAttempt", {
  queueName: "%SchedulerQueue%",
  connection: "ServiceBus",
  extraInputs: [df.input.durableClient()],
  handler: (body: unknown, context: InvocationContext) => {
    const { orderId = null, attempt = null, direction = null } = (body ?? {}) as Partial<StartAttempt>;
    return observeMessage(context, { orderId, attempt, direction }, (telemetry) =>
      workOnMessage(body, application.queueNames().scheduler, context, telemetry, async () => {
        const startAttempt = parseStartAttempt(body);
        await application.ports().admission.admit("begun");
        const claim = await claimOrder(startAttempt, application.contextOf(telemetry));
        if (claim.kind === "claimed") await startClaimed(df.getClient(context), claim, application.ports().store);
      }),
    );
  },
});
