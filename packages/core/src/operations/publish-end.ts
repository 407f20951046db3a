// The end of an attempt that broke off (P15, P16): its last write may stand, and its messages may not have been sent.
import { hasEnded } from "../domain/state-record.ts";
import { concludeOrder } from "./conclude-order.ts";
import type { Context } from "./ports.ts";
import { clearOutbox, publishSteps } from "./publish.ts";

/**
 * For an attempt whose activity gave up, or that ran out of time: if its order has ended all the same, the client is notified of it.
 * What was published before goes again under the same message id. Throws where store or bus are away: the engine tries again.
 */
export async function publishEndOf(
  { orderId, attempt }: { readonly orderId: string; readonly attempt: number },
  context: Context,
): Promise<void> {
  const stored = await context.store.state(orderId);
  if (!stored || stored.record.attempt !== attempt) return;
  const { processState } = stored.record;
  if (!hasEnded(processState)) return;
  await publishSteps(stored.record, context);
  if (processState === "Processed") await concludeOrder(stored, context);
  else await clearOutbox(stored, context);
}
