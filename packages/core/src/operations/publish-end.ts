// The end of an attempt that broke off (P15, P16): its last write may stand, and its messages may not have been sent.
import { hasEnded } from "../domain/state-record.ts";
import { concludeJob } from "./conclude-job.ts";
import type { Context } from "./ports.ts";
import { clearOutbox, publishSteps } from "./publish.ts";

/**
 * For an attempt whose activity gave up, or that ran out of time: if its job has ended all the same, the client is notified of it.
 * What was published before goes again under the same message id. Throws where store or bus are away: the engine tries again.
 */
export async function publishEndOf(
  { jobId, attempt }: { readonly jobId: string; readonly attempt: number },
  context: Context,
): Promise<void> {
  const stored = await context.store.state(jobId);
  if (!stored || stored.record.attempt !== attempt) return;
  const { processState } = stored.record;
  if (!hasEnded(processState)) return;
  await publishSteps(stored.record, context);
  if (processState === "Processed") await concludeJob(stored, context);
  else await clearOutbox(stored, context);
}
