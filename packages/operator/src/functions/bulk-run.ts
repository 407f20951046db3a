// An action on many jobs as an orchestration: it survives every process, and decides nothing itself.
import * as df from "durable-functions";

/** About an hour in all. */
const PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 120_000;
const TRIES = 30;
/** Limits the engine's history of one generation. */
const TURNS = 50;

type Turn = { readonly kind: "over" } | { readonly kind: "again"; readonly inMs: number };

/**
 * The orchestration of one action on many jobs. Its input is the action's id. It calls the activity `bulkTurn` until `bulkTurn` returns that the
 * action is over. It tries a failed turn 30 times, for about an hour.
 */
export function* bulkOrchestration(context: df.OrchestrationContext): Generator<df.Task, void, unknown> {
  const bulkId = context.df.getInput() as string;
  const patience = new df.RetryOptions(PAUSE_MS, TRIES);
  patience.backoffCoefficient = 2;
  patience.maxRetryIntervalInMilliseconds = LONGEST_PAUSE_MS;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const next = (yield context.df.callActivityWithRetry("bulkTurn", patience, bulkId)) as Turn;
    if (next.kind === "over") return;
    if (next.inMs > 0) {
      const at = context.df.currentUtcDateTime.getTime() + next.inMs;
      yield context.df.createTimer(new Date(at));
    }
  }
  context.df.continueAsNew(bulkId);
}
