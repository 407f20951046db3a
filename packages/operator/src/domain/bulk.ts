// An action on many jobs (P9, P13): in waves. The first wave has one job. No wave follows after the same cause returns too often.
import {
  type Direction,
  type EndState,
  hasEnded,
  type JobError,
  type KeyChoice,
  type ProcessState,
} from "@scheduler-agent-supervisor/core/domain";

export const BULK_ACTIONS = ["resubmit", "compensate", "markResolved", "cancel", "extend"] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/**
 * The limit of one action. The jobs that need a person are counted only up to this number too, because a view must answer at once even if tens of
 * thousands have failed.
 */
export const MOST_JOBS = 1000;

export type BulkState = "previewed" | "running" | "paused" | "stopped" | "cancelled" | "done";

/** A job as the preview read it: the action applies only to this version. */
export interface BulkItem {
  readonly jobId: string;
  readonly etag: string;
  /** The group of its fault. */
  readonly cause: string;
  /** The direction in which the job goes on. */
  readonly direction: Direction;
  /** The keys of its steps that run again after a fault. */
  readonly keys: KeyChoice;
}

/** `same`: in Error again, with the same cause as before. `other`: in Error with another. */
export type BulkEnd = "well" | "same" | "other";

export interface BulkResult {
  readonly jobId: string;
  /** `open`: not done yet. `skipped`: nothing was done, for the reason. */
  readonly outcome: "open" | "done" | "skipped";
  readonly reason: string | null;
  /** How the job ended after it; null until then. */
  readonly end: BulkEnd | null;
}

export interface BulkCounts {
  readonly done: number;
  readonly skipped: number;
  readonly well: number;
  readonly same: number;
  readonly other: number;
}

/** The last size is the size of all further waves. */
const WAVES = [1, 10, 100] as const;
/** If more than this share of a wave ends with the same cause as before, it is the last wave. */
export const SAME_CAUSE_LIMIT = 0.2;

/** The range of items in a wave. */
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

/** The next state after a wave whose jobs have all ended. */
export function afterWave(
  wave: number,
  total: number,
  { done, same }: BulkCounts,
): { readonly kind: "next" } | { readonly kind: "done" } | { readonly kind: "stop"; readonly share: number } {
  const share = done === 0 ? 0 : same / done;
  if (share > SAME_CAUSE_LIMIT) return { kind: "stop", share };
  return waveOf(wave, total).to >= total ? { kind: "done" } : { kind: "next" };
}

/** The expected ends of each action, besides Processed. */
const WANTED: { readonly [action in BulkAction]: readonly EndState[] } = {
  resubmit: [],
  compensate: ["Compensated"],
  cancel: ["Cancelled"],
  markResolved: [],
  extend: [],
};
/** Of a job whose compensation is continued. */
const ENDS_OF_COMPENSATION: readonly EndState[] = ["Compensated", "Cancelled"];

/**
 * @param before the job as the preview read it
 * @param causeNow the cause of the fault of a job that is in Error now
 */
export function endOf(
  action: BulkAction,
  processState: ProcessState,
  kind: JobError["kind"] | undefined,
  before: Pick<BulkItem, "cause" | "direction"> | undefined,
  causeNow: string,
): BulkEnd | null {
  // The action's purpose is reached when the job has more time: its end may be hours away, and the others would be overdue by then.
  if (!hasEnded(processState)) return action === "extend" ? "well" : null;
  const isContinued = action === "resubmit" && before?.direction === "compensate";
  const wanted = isContinued ? ENDS_OF_COMPENSATION : WANTED[action];
  if (processState === "Processed" || wanted.includes(processState)) return "well";
  // Another operator has handled it since.
  if (processState === "Error" && kind === "resolved") return "well";
  return causeNow === before?.cause ? "same" : "other";
}
