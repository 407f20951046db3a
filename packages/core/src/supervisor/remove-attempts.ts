// Removes the durable engine's data of ended attempts, in windows of time: each call is short, and each run is too.

import { instant } from "../domain/duration.ts";
import type { Telemetry } from "../scheduler/ports.ts";
import type { PurgeProgress } from "../store/purge-progress.ts";

/** Removes the instances that began between the two instants and have ended. Returns their number. */
export type Purge = (from: Date, to: Date) => Promise<number>;

export interface Removal {
  readonly purge: Purge;
  readonly progress: PurgeProgress;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NARROWEST_MS = 10_000;
/** Azure Storage removes about thirty a second (azure-functions-durable-extension#1145), so this takes half a minute. */
const MANY = 1000;
const FEW = 250;
const LONG_MS = 30_000;

/**
 * The engine's filter supports creation times but no number, and on Azure Storage each call reads the whole table of instances
 * (microsoft/durabletask-dotnet#268). So the windows continue from the end of the last run; they become wider if they find few instances and
 * narrower if they find many. Instances that ended only after their window was done are removed by the last call, which covers all older ones.
 * @param before instances that began later are kept
 */
export async function removeAttempts(
  { purge, progress, now }: Removal,
  before: number,
  withinMs: number,
  telemetry: Telemetry,
): Promise<void> {
  const endAt = now() + withinMs;
  const begun = await progress.doneUntil();
  if (begun === undefined) return;
  const since = Date.parse(begun);
  let doneUntil = Math.min(since, before);
  let widthMs = MINUTE_MS;
  let removed = 0;
  let finished = false;
  try {
    while (doneUntil < before && now() < endAt) {
      const to = Math.min(doneUntil + widthMs, before);
      const calledAt = now();
      const found = await purge(new Date(doneUntil), new Date(to));
      removed += found;
      doneUntil = to;
      await progress.save(instant(doneUntil));
      if (found > MANY || now() - calledAt > LONG_MS) widthMs = Math.max(NARROWEST_MS, widthMs / 4);
      else if (found < FEW) widthMs = Math.min(DAY_MS, widthMs * 4);
    }
    if (doneUntil >= before && now() < endAt) removed += await purge(new Date(0), new Date(Math.min(since, before)));
    finished = doneUntil >= before;
  } finally {
    telemetry.event("OrchestrationsRemoved", { removed, doneUntil: instant(doneUntil), finished });
  }
}
