// What the operators' desk does in every process of the app: it keeps what the process says of itself.

import type { PostInvocationContext } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { watchEvents } from "@scheduler-agent-supervisor/core/telemetry";
import { type Desk, deskOf } from "../compose.ts";

const ALIVE_EVERY_MS = 600_000;

/** The hooks of the app. They never throw, and nothing waits for store or storage. */
export function deskHooks(application: App) {
  let desk: Desk | undefined;
  return {
    appStart: async (): Promise<void> => {
      desk = composed(application);
      if (!desk) return;
      const { reports } = desk;
      watchEvents(reports.event);
      reports.alive();
      setInterval(reports.alive, ALIVE_EVERY_MS).unref();
    },
    postInvocation: ({ invocationContext, error }: PostInvocationContext): void => {
      // Who asks by HTTP is answered that it failed; and nobody may ask again for long after it works again.
      const isAsked = invocationContext.options.trigger.type === "httpTrigger";
      if (!isAsked) desk?.reports.invocation(invocationContext.functionName, error);
    },
  };
}

/** Undefined if the app can't be composed: its check of the settings says why, or each function that asks for a part of it. */
function composed(application: App): Desk | undefined {
  try {
    return application.startFaults().length > 0 ? undefined : deskOf(application);
  } catch {
    return undefined;
  }
}
