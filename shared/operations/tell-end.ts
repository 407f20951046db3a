// The end of an attempt that broke off (P15, P16): its last write may stand, and nobody have been told of it.
import { concludeOrder } from "./conclude-order.ts";
import type { Ports, Telemetry } from "./ports.ts";
import { settleNotices, tellSteps } from "./tell.ts";

/**
 * For an attempt whose activity gave up, or that ran out of time: if its order has ended all the same, the shop hears of it.
 * What was told before goes again under the same message id. Throws where store or bus are away: the engine tries again.
 */
export async function tellEndOf(
  { orderId, attempt }: { readonly orderId: string; readonly attempt: number },
  ports: Ports,
  telemetry: Telemetry,
): Promise<void> {
  const stored = await ports.store.state(orderId);
  if (!stored || stored.record.attempt !== attempt) return;
  const { processState } = stored.record;
  if (processState === "Processed" || processState === "Error") await tellSteps(stored.record, ports, telemetry);
  if (processState === "Processed") await concludeOrder(stored, ports, telemetry);
  else if (processState === "Error") await settleNotices(stored, ports, telemetry);
}
