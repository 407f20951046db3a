// Receives from queues with sessions: some sessions at once, in each so many messages as host.json says, until a session is idle.
import { setTimeout as pause } from "node:timers/promises";
import { isServiceBusError, type ProcessErrorArgs, type ServiceBusSessionReceiver } from "@azure/service-bus";
import { inWords, isError } from "../../thrown.ts";
import type { ServiceBusSettings } from "../host-json.ts";
import type { MessageSource } from "./message-source.ts";

const TRY_AGAIN_AFTER_MS = 300;

/** Begins to receive; the answer ends it. */
export function receiveSessions(
  accept: () => Promise<ServiceBusSessionReceiver>,
  source: MessageSource,
  settings: ServiceBusSettings,
): () => Promise<void> {
  const stopped = new AbortController();
  const open = new Set<() => Promise<void>>();
  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const session = await accept().catch((cause: unknown) => noSession(cause, source));
      if (!session) await pause(TRY_AGAIN_AFTER_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
      else if (stopped.signal.aborted) await session.close();
      else await receiveSession(session, source, settings, open);
    }
  };
  for (let slot = 0; slot < settings.maxConcurrentSessions; slot += 1) void loop();
  return async () => {
    stopped.abort();
    await Promise.all([...open].map((end) => end()));
  };
}

/** That no session has messages is no fault: the broker says so after its time-out. */
export async function noSession(cause: unknown, source: MessageSource): Promise<undefined> {
  if (isServiceBusError(cause) && (cause.code === "ServiceTimeout" || cause.code === "SessionCannotBeLocked")) return;
  await source.failed(receiveFault(cause));
}

export function receiveFault(cause: unknown): ProcessErrorArgs {
  const error = isError(cause) ? cause : new Error(inWords(cause));
  return { error, errorSource: "receive", entityPath: "", fullyQualifiedNamespace: "", identifier: "" };
}

async function receiveSession(
  session: ServiceBusSessionReceiver,
  source: MessageSource,
  { sessionIdleTimeoutMs: idleMs, maxConcurrentCallsPerSession: maxConcurrentCalls }: ServiceBusSettings,
  open: Set<() => Promise<void>>,
): Promise<void> {
  const busy = new Set<Promise<void>>();
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let idle = setTimeout(end, idleMs);
  const subscription = session.subscribe(
    {
      processMessage: async (message) => {
        clearTimeout(idle);
        const work = source.handle(message, session);
        busy.add(work);
        await work;
        busy.delete(work);
        if (busy.size === 0) idle = setTimeout(end, idleMs);
      },
      // The lock of a session does not come back: leave it, and take the next.
      processError: async (args) => {
        await source.failed(args);
        end();
      },
    },
    { autoCompleteMessages: false, maxConcurrentCalls },
  );
  const endNow = async (): Promise<void> => {
    await subscription.close();
    end();
  };
  open.add(endNow);
  await ended;
  open.delete(endNow);
  clearTimeout(idle);
  await Promise.all(busy);
  await session.close().catch(() => undefined);
}
