// What the operators' desk does in every process of the app: it tells other hosts of this app's reply queues, and keeps what the process says of itself.

import type { PostInvocationContext } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { watchEvents } from "@scheduler-agent-supervisor/core/telemetry";
import { deskOf } from "../compose.ts";
import { ANNOUNCED_EVERY_MS } from "../operations/reply-queues.ts";

/** After a store that did not answer. */
const AGAIN_AFTER_MS = 10_000;
const ALIVE_EVERY_MS = 600_000;

/** The hooks of the app. They never throw, and nothing waits for store or storage. */
export function deskHooks(application: App) {
  const hasFaults = () => application.startFaults().length > 0;
  let isStarted = false;
  return {
    appStart: async (): Promise<void> => {
      // What is wrong with the settings is said by the app's check.
      if (hasFaults()) return;
      isStarted = true;
      const { reports } = deskOf(application);
      watchEvents(reports.event);
      reports.alive();
      setInterval(reports.alive, ALIVE_EVERY_MS).unref();
      void announce(application);
    },
    postInvocation: ({ invocationContext, error }: PostInvocationContext): void => {
      // Who asks by HTTP is answered that it failed; and nobody may ask again for long after it works again.
      const isAsked = invocationContext.options.trigger.type === "httpTrigger";
      if (isStarted && !isAsked) deskOf(application).reports.invocation(invocationContext.functionName, error);
    },
  };
}

async function announce(application: App): Promise<void> {
  const isAnnounced = await deskOf(application)
    .replyQueues.announce()
    .then(
      () => true,
      () => false,
    );
  setTimeout(() => void announce(application), isAnnounced ? ANNOUNCED_EVERY_MS : AGAIN_AFTER_MS).unref();
}
