// One turn of an action on many jobs: acts on the jobs of the wave, or checks whether they have ended, and returns when the next turn is due.

import { durationMs, instant } from "@scheduler-agent-supervisor/core/domain";
import type { OperatorRequest } from "@scheduler-agent-supervisor/core/messaging";
import { type Context, operateJob, type Ports } from "@scheduler-agent-supervisor/core/scheduling";
import { afterWave, type BulkItem, type BulkResult, countsOf, endOf, sum, waveOf } from "../domain/bulk.ts";
import type { ReadBulkRun, StoredBulkRun } from "../store/bulk-store.ts";
import { causeIdOf } from "./group-jobs.ts";
import { type BulkPorts, inTurns, unlessNewer } from "./preview-bulk.ts";

export type BulkTurn = { readonly kind: "over" } | { readonly kind: "again"; readonly inMs: number };

/** An action consists of some writes and messages: their number in one turn is limited, so that a pause takes effect soon. */
const ACTS_IN_A_TURN = 20;
const ACTS_SIDE_BY_SIDE = 5;
const LOOKS_SIDE_BY_SIDE = 16;
const AT_ONCE: BulkTurn = { kind: "again", inMs: 0 };
/** The time between two looks at a wave is the time that it has lasted: a short wave ends at once, and a long one is read rarely. */
const PAUSE_MS = { least: 500, most: 10_000 } as const;
const WHILE_PAUSED: BulkTurn = { kind: "again", inMs: 5000 };
const OVER: BulkTurn = { kind: "over" };

/**
 * Order of writes: each job by itself, with the run's mark in its history; then the wave's results; then the run. After a crash in between the
 * next turn finds the mark, and acts on no job twice.
 */
export async function runBulk(bulkId: string, context: Context<BulkPorts>): Promise<BulkTurn> {
  const read = await context.bulk.run(bulkId);
  if (read?.run.state === "paused") return WHILE_PAUSED;
  if (read?.run.state !== "running") return OVER;
  const { wave, total } = read.run;
  const { from, to } = waveOf(wave, total);
  const items = (await context.bulk.items(bulkId)).slice(from, to);
  const results = (await context.bulk.wave(bulkId, wave)) ?? items.map(opened);
  if (results.some(({ outcome }) => outcome === "open")) {
    await context.bulk.saveWave(bulkId, wave, await act(read.run, items, results, context));
    return AT_ONCE;
  }
  const looked = await lookForEnds(read.run, items, results, context);
  await context.bulk.saveWave(bulkId, wave, looked);
  return looked.every(({ end, outcome }) => end !== null || outcome === "skipped")
    ? conclude(read, looked, context)
    : laterThan(read.run, context.now());
}

/** A run is written when a wave begins. */
function laterThan({ updatedAt }: StoredBulkRun, now: number): BulkTurn {
  const lasted = now - Date.parse(updatedAt);
  return { kind: "again", inMs: Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, lasted)) };
}

const opened = ({ jobId }: BulkItem): BulkResult => ({ jobId, outcome: "open", reason: null, end: null });

async function act(
  run: StoredBulkRun,
  items: readonly BulkItem[],
  results: readonly BulkResult[],
  context: Context<BulkPorts>,
): Promise<BulkResult[]> {
  const open = results.filter(({ outcome }) => outcome === "open").slice(0, ACTS_IN_A_TURN);
  const chosen = items.filter(({ jobId }) => open.some((one) => one.jobId === jobId));
  const acted = await inTurns(chosen, ACTS_SIDE_BY_SIDE, (item) =>
    unlessNewer(
      () => actOn(item, run, context),
      (reason): BulkResult => ({ jobId: item.jobId, outcome: "skipped", reason, end: null }),
    ),
  );
  return results.map((result) => acted.find(({ jobId }) => jobId === result.jobId) ?? result);
}

async function actOn({ jobId, etag }: BulkItem, run: StoredBulkRun, context: Context): Promise<BulkResult> {
  const mark = markOf(run);
  const reason = `${run.reason ?? ""} ${mark}`;
  const operated = await operateJob(jobId, requestOf(run, reason), { by: run.by, ifMatch: [etag] }, context);
  const result = (outcome: "done" | "skipped", why: string | null): BulkResult => ({
    jobId,
    outcome,
    reason: why,
    end: null,
  });
  switch (operated.kind) {
    case "done":
      return result("done", null);
    case "changed":
      // By this same run, before its process crashed.
      return operated.record.history.some(({ what }) => what.includes(mark))
        ? result("done", null)
        : result("skipped", "it has changed since the preview");
    case "rejected":
      return result("skipped", operated.reason);
    case "invalid":
      return result("skipped", operated.faults.join("; "));
    case "not-found":
      return result("skipped", "it is not there any more");
    default:
      return operated satisfies never;
  }
}

function requestOf({ action, extendBy, direction }: StoredBulkRun, reason: string): OperatorRequest {
  switch (action) {
    case "resubmit":
      return { kind: action, reason, job: null, compensatedManually: false, ...(direction && { direction }) };
    case "extend":
      return { kind: action, reason, byMs: durationMs(extendBy ?? "") ?? 0 };
    default:
      return { kind: action, reason };
  }
}

const markOf = ({ bulkId }: StoredBulkRun): string => `(bulk ${bulkId})`;

async function lookForEnds(
  { action }: StoredBulkRun,
  items: readonly BulkItem[],
  results: readonly BulkResult[],
  { store }: Ports,
): Promise<BulkResult[]> {
  return inTurns(results, LOOKS_SIDE_BY_SIDE, (result) => {
    if (result.outcome !== "done" || result.end !== null) return Promise.resolve(result);
    const item = items.find(({ jobId }) => jobId === result.jobId);
    return unlessNewer<BulkResult>(
      async () => {
        const read = (await store.state(result.jobId)) ?? (await store.latest(result.jobId));
        if (!read) return { ...result, end: "other" };
        const { processState, error } = read.record;
        const end = endOf(action, processState, error?.kind, item, causeIdOf(read.record));
        return { ...result, end, ...(end && end !== "well" && { reason: error?.message ?? null }) };
      },
      (reason) => ({ ...result, end: "other", reason }),
    );
  });
}

async function conclude(read: ReadBulkRun, results: readonly BulkResult[], ports: BulkPorts): Promise<BulkTurn> {
  const { run } = read;
  const counts = countsOf(results);
  const next = afterWave(run.wave, run.total, counts);
  const after = { ...run, counts: sum(run.counts, counts), updatedAt: instant(ports.now()) };
  // If it is rejected, an operator has paused or cancelled it: the next turn sees that, and concludes then.
  switch (next.kind) {
    case "stop": {
      const share = `${Math.round(next.share * 100)}%`;
      await ports.bulk.replace(read, { ...after, state: "stopped", stopped: share });
      return AT_ONCE;
    }
    case "done":
      await ports.bulk.replace(read, { ...after, state: "done" });
      return AT_ONCE;
    case "next":
      await ports.bulk.replace(read, { ...after, wave: run.wave + 1 });
      return AT_ONCE;
    default:
      return next satisfies never;
  }
}
