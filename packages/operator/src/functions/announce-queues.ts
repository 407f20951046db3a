// Tells the other hosts on this bus and store of this app's reply queues, from its start on: a host that stops can't say any more what waits for it.

import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { deskOf } from "../compose.ts";
import { ANNOUNCED_EVERY_MS } from "../operations/reply-queues.ts";

/** After a store that did not answer. */
const AGAIN_AFTER_MS = 10_000;

/** The hook at the host's start. It never throws, and the start does not wait for the store. */
export const announceQueues = (application: App) => async (): Promise<void> => {
  // What is wrong with the settings is said by the app's check.
  if (application.startFaults().length > 0) return;
  void announce(application);
};

async function announce(application: App): Promise<void> {
  const isTold = await deskOf(application)
    .replyQueues.announce()
    .then(
      () => true,
      () => false,
    );
  setTimeout(() => void announce(application), isTold ? ANNOUNCED_EVERY_MS : AGAIN_AFTER_MS).unref();
}
