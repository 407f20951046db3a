// The end of an attempt that stopped early (P15, P16): its last write may be stored while its messages were not sent.
import { completionsOf } from "../../domain/record/owed.ts";
import { hasEnded } from "../../domain/record/state-record.ts";
import type { Context } from "../ports.ts";
import { concludeJob, reportOwedError } from "./conclude-job.ts";
import { clearOutbox, publish } from "./publish.ts";

/**
 * For an attempt whose activity failed finally, or whose time is over: if its job has still ended, the client is notified. Messages that were
 * published before are sent again under the same message id. Throws if store or bus are unavailable: the engine tries again.
 */
export async function publishEndOf(
  { jobId, attempt }: { readonly jobId: string; readonly attempt: number },
  context: Context,
): Promise<void> {
  // Nobody publishes the end later, so it is not to be missed because of a stale read.
  const stored = await context.store.latest(jobId);
  if (!stored || stored.record.attempt !== attempt) return;
  const { processState } = stored.record;
  if (!hasEnded(processState)) return;
  if (processState === "Processed") return concludeJob(stored, context);
  await publish(stored.record, completionsOf(stored.record), context);
  await clearOutbox(stored, context, { onSent: () => reportOwedError(stored.record, context.telemetry) });
}
