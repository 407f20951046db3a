// A look at the record, for an attempt that has received nothing for too long, or that others may have overtaken (P4, P15).

import { completionsOf } from "../../domain/record/outbox.ts";
import { type Look, outcomeReadBy, type StepOutcome } from "../../domain/steps/attempt.ts";
import type { Context } from "../ports.ts";
import { publishOrKeep } from "../publishing/publish.ts";

/**
 * The state of the record, for the attempt. The process that recorded the end of one of those steps may have crashed before it published that: it is
 * published before the attempt begins the next step, under the same id. Throws if the store is unavailable: the next look is the retry.
 */
export async function readProgress({ jobId, lockedBy, waitsFor }: Look, context: Context): Promise<StepOutcome> {
  let stored = await context.store.state(jobId);
  // An attempt that is superseded ends.
  if (stored?.record.lockedBy !== lockedBy) stored = await context.store.latest(jobId);
  const outcome = outcomeReadBy({ lockedBy }, stored?.record);
  if (!stored || outcome.kind !== "completed") return outcome;
  const found = completionsOf(stored.record).filter(({ step = "" }) => waitsFor.includes(step));
  if (found.length > 0) await publishOrKeep(stored, found, context);
  return outcome;
}
