// Handles a message while store, bus or engine are unavailable, or no job is admitted (P27): it is held under its lock, and returned to its queue
// before the lock ends. Deliveries are counted for faulty messages, not for outages.

import { instant } from "../domain/duration.ts";
import { Outage, outageIn, SentBack } from "../domain/outage.ts";
import { inWords, isThrown } from "../domain/thrown.ts";
import type { Contracts } from "../messaging/contract.ts";
import type { Messenger, ReceivedMessage } from "../messaging/messenger.ts";
import { quarantined, shownJobId } from "../messaging/shown-message.ts";
import type { Context, Ports, Telemetry } from "../scheduler/ports.ts";
import { NotStorable } from "../store/job-store.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;

/** The queues whose messages are held in this process, and since when: an outage has one event when it begins and one when it ends. */
const heldQueues = new WeakMap<Messenger, Map<string, number>>();

/**
 * Processes a message, again and again while there is an outage. Order of writes if the outage lasts longer, or is known to be long: a copy is
 * sent to the message's own queue, then (by returning) the message is completed. After a crash in between there are two messages, the same as a
 * duplicate delivery. What the store will never take is kept in the quarantine, with the reason. All other faults are thrown: the queue delivers the message again, and finally dead-letters it.
 * @returns the result of `work`; undefined if the message was sent back
 */
export async function holdMessage<T>(
  message: ReceivedMessage,
  work: () => Promise<T>,
  {
    messenger,
    rules,
    timing,
    now,
    pause,
    telemetry,
  }: Context<Pick<Ports, "messenger" | "rules" | "timing" | "now" | "pause">>,
): Promise<T | undefined> {
  const { queue } = message;
  const queues = heldQueues.get(messenger) ?? new Map<string, number>();
  heldQueues.set(messenger, queues);
  const heldSince = now();
  for (let waitMs = FIRST_PAUSE_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const result = await work();
      const since = queues.get(queue);
      if (since !== undefined) {
        queues.delete(queue);
        telemetry.event("OutageEnded", { queue, ms: now() - since });
      }
      return result;
    } catch (cause) {
      if (isThrown(NotStorable, cause)) return setAside(message, cause, messenger, rules.contracts, telemetry);
      if (!isThrown(Outage, cause)) throw cause;
      const heldMs = now() - heldSince;
      const goesBack = cause instanceof SentBack ? cause : undefined;
      if (goesBack || heldMs + waitMs > timing.holdWithinMs) {
        if (goesBack?.isSaid !== false) {
          telemetry.event("MessagePostponed", {
            queue,
            jobId: shownJobId(message.body, rules.contracts),
            heldMs,
            cause: inWords(cause),
            outage: outageIn(cause),
          });
        }
        const at = goesBack ? instant(now() + goesBack.afterMs) : undefined;
        await messenger.postpone(message, { cause: cause.name, at });
        return undefined;
      }
      if (!queues.has(queue)) {
        queues.set(queue, now());
        telemetry.event("MessageHeld", { queue, cause: inWords(cause) });
      }
    }
    await pause(waitMs);
  }
}

/** As often as it were delivered again, the answer would be the same. */
async function setAside(
  received: ReceivedMessage,
  { message: reason }: NotStorable,
  messenger: Ports["messenger"],
  contracts: Contracts,
  telemetry: Telemetry,
): Promise<undefined> {
  const { body, messageId, correlationId, replyTo, replyToSessionId, queue } = received;
  const address = { messageId, correlationId, replyTo, replyToSessionId, queue };
  const kept = quarantined({ subject: "NotStorable", body, received, faults: [reason], ...address }, contracts);
  await messenger.quarantine(kept);
  telemetry.event("MessageNotStorable", { queue, messageId: kept.shown.messageId, reason });
}
