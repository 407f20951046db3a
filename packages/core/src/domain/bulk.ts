// An action on many jobs (P9, P13): in waves, the first of one job, and no further once the same cause comes back too often.
import { type EndState, hasEnded, type JobError, type ProcessState } from "./state-record.ts";

export const BULK_ACTIONS = ["resubmit", "compensate", "markResolved", "cancel", "extend"] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** What one action takes. What needs a person is counted no further either: a view has to answer at once when tens of thousands have failed. */
export const MOST_JOBS = 1000;

export type BulkState = "previewed" | "running" | "paused" | "stopped" | "cancelled" | "done";

/** A job as the preview saw it: acted on at this version only. */
export interface BulkItem {
  readonly jobId: string;
  readonly etag: string;
  /** Of its fault, as it is grouped. */
  readonly cause: string;
}

/** `same`: in Error again, of the cause that it had. `other`: in Error of another. */
export type BulkEnd = "well" | "same" | "other";

export interface BulkResult {
  readonly jobId: string;
  /** `open`: not yet acted on. `skipped`: nothing was done, for the reason. */
  readonly outcome: "open" | "done" | "skipped";
  readonly reason: string | null;
  /** How the job ended after it; null while it has not. */
  readonly end: BulkEnd | null;
}

export interface BulkCounts {
  readonly done: number;
  readonly skipped: number;
  readonly well: number;
  readonly same: number;
  readonly other: number;
}

/** The last size is that of all further waves. */
const WAVES = [1, 10, 100] as const;
/** A wave of which more than this share ends with the same cause as before is the last one. */
export const SAME_CAUSE_LIMIT = 0.2;

/** Which of the items a wave has. */
export function waveOf(wave: number, total: number): { readonly from: number; readonly to: number } {
  let from = 0;
  for (let before = 0; before < wave; before += 1) from += sizeOf(before);
  return { from: Math.min(from, total), to: Math.min(from + sizeOf(wave), total) };
}

function sizeOf(wave: number): number {
  return WAVES[Math.min(wave, WAVES.length - 1)] ?? 1;
}

export function countsOf(results: readonly BulkResult[]): BulkCounts {
  const count = (holds: (result: BulkResult) => boolean) => results.filter(holds).length;
  return {
    done: count(({ outcome }) => outcome === "done"),
    skipped: count(({ outcome }) => outcome === "skipped"),
    well: count(({ end }) => end === "well"),
    same: count(({ end }) => end === "same"),
    other: count(({ end }) => end === "other"),
  };
}

export function sum(one: BulkCounts, other: BulkCounts): BulkCounts {
  return {
    done: one.done + other.done,
    skipped: one.skipped + other.skipped,
    well: one.well + other.well,
    same: one.same + other.same,
    other: one.other + other.other,
  };
}

/** What comes after a wave whose jobs have all ended. */
export function afterWave(
  wave: number,
  total: number,
  { done, same }: BulkCounts,
): { readonly kind: "next" } | { readonly kind: "done" } | { readonly kind: "stop"; readonly share: number } {
  const share = done === 0 ? 0 : same / done;
  if (share > SAME_CAUSE_LIMIT) return { kind: "stop", share };
  return waveOf(wave, total).to >= total ? { kind: "done" } : { kind: "next" };
}

/** The end that each action wants, beside Processed. */
const WANTED: { readonly [action in BulkAction]: EndState | null } = {
  resubmit: null,
  compensate: "Compensated",
  cancel: "Cancelled",
  markResolved: null,
  extend: null,
};

/** @param causeNow the cause of the fault that the job is in Error with now */
export function endOf(
  action: BulkAction,
  processState: ProcessState,
  kind: JobError["kind"] | undefined,
  causeBefore: string,
  causeNow: string,
): BulkEnd | null {
  // A job that has more time is what was wanted: its end may be hours away, and the others would be overdue meanwhile.
  if (!hasEnded(processState)) return action === "extend" ? "well" : null;
  if (processState === "Processed" || processState === WANTED[action]) return "well";
  // Somebody has handled it since.
  if (processState === "Error" && kind === "resolved") return "well";
  return causeNow === causeBefore ? "same" : "other";
}
