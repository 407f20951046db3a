// Handles a message while store, bus or engine are unavailable, or no job is admitted (P27): it is held under its lock, and returned to its queue
// before the lock ends. Deliveries are counted for faulty messages, not for outages.
import { jobIdIn } from "../domain/noun.ts";
import { Outage, SentBack } from "../domain/outage.ts";
import type { ReceivedMessage } from "../messaging/messenger.ts";
import { type Context, instant, type Ports } from "../scheduler/ports.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;

/**
 * Processes a message, again and again while there is an outage. Order of writes if the outage lasts longer, or is known to be long: a copy is
 * sent to the message's own queue, then (by returning) the message is completed. After a crash in between there are two messages, the same as a
 * duplicate delivery. All other faults are thrown: the queue delivers the message again, and finally dead-letters it.
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
  const heldSince = now();
  for (let waitMs = FIRST_PAUSE_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (cause) {
      if (!(cause instanceof Outage)) throw cause;
      const heldMs = now() - heldSince;
      const goesBack = cause instanceof SentBack ? cause : undefined;
      if (goesBack || heldMs + waitMs > timing.holdWithinMs) {
        const { queue } = message;
        if (goesBack?.isSaid !== false) {
          telemetry.event("MessagePostponed", {
            queue,
            jobId: jobIdIn(message.body, rules.contracts.noun) ?? null,
            heldMs,
            cause: String(cause),
          });
        }
        const at = goesBack ? instant(now() + goesBack.afterMs) : undefined;
        await messenger.postpone(message, { cause: cause.name, at });
        return undefined;
      }
      if (waitMs === FIRST_PAUSE_MS) telemetry.event("MessageHeld", { queue: message.queue, cause: String(cause) });
    }
    await pause(waitMs);
  }
}
