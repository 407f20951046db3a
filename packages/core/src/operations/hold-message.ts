// What becomes of a message while store, bus or engine are away, or nothing more is admitted (P27): it is held under its lock, and goes
// back to wait in its queue before the lock ends. Deliveries are counted for messages that are at fault, not for outages.
import { jobIdIn } from "../domain/noun.ts";
import { Outage, SentBack } from "../domain/outage.ts";
import type { ReceivedMessage } from "../messaging/messenger.ts";
import { type Context, instant, type Ports } from "./ports.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;
/** What is sent back at once is delivered again so much later: held under its lock it would keep others from being taken. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Works on a message, again and again while there is an outage. Order of writes where the outage outlasts that, or is known
 * to take long: a copy is sent to the message's own queue, then (by returning) the message is completed. After a death
 * in between there are two, which is as if it had been delivered twice. All other faults are thrown: the queue delivers the message again, and at last dead-letters it.
 * @returns what `work` returned; undefined where the message was sent back
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
      const goesBack = cause instanceof SentBack;
      if (goesBack || heldMs + waitMs > timing.holdWithinMs) {
        const { queue } = message;
        telemetry.event("MessagePostponed", {
          queue,
          jobId: jobIdIn(message.body, rules.contracts.noun) ?? null,
          heldMs,
          cause: String(cause),
        });
        await messenger.postpone(message, goesBack ? { at: instant(now() + LOOK_AGAIN_MS) } : {});
        return undefined;
      }
      if (waitMs === FIRST_PAUSE_MS) telemetry.event("MessageHeld", { queue: message.queue, cause: String(cause) });
    }
    await pause(waitMs);
  }
}
