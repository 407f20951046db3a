// Follows sample orders by what the store and the quarantine queue say of them, until each has ended.

import type { Records } from "../common/records.ts";
import { ENDINGS, type Ending, type Sample } from "../common/samples.ts";
import { type Board, describeRecord, type Row } from "./board.ts";

export interface Followed {
  readonly orderId: string;
  /** The message's id: all that the quarantine knows of an order that can't be read. */
  readonly messageId: string;
  readonly sample: Sample | undefined;
  /** What is said of one that is no sample. */
  readonly about?: string;
  readonly sentAt: number;
}

export interface Ended {
  readonly followed: Followed;
  readonly ending: Ending | "unfinished";
  readonly attempts: number;
  readonly faults: readonly string[];
  /** What it has left is a person's. */
  readonly isIncomplete: boolean;
}

const POLL_MS = 200;

/** Resolves when all have ended, or after `withinMs`, or when aborted: what has not ended by then is `unfinished`. */
export async function follow(
  orders: readonly Followed[],
  records: Records,
  board: Board,
  withinMs: number,
  signal: AbortSignal,
): Promise<Ended[]> {
  const begun = performance.now();
  const endedAt = new Map<string, number>();
  for (;;) {
    const { rows, ended } = await look(orders, records, endedAt);
    board.show(rows);
    const open = ended.some(({ ending }) => ending === "unfinished");
    if (!open || signal.aborted || performance.now() - begun > withinMs) return ended;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function look(
  orders: readonly Followed[],
  records: Records,
  endedAt: Map<string, number>,
): Promise<{ rows: Row[]; ended: Ended[] }> {
  const [found, quarantined] = await Promise.all([
    records.of(orders.map(({ orderId }) => orderId)),
    records.quarantined(),
  ]);
  const byOrder = new Map(found.map((record) => [record.jobId, record]));
  const byMessage = new Map(quarantined.map((message) => [message.messageId, message]));
  const now = Date.now();
  const looks = orders.map((followed): { row: Row; ended: Ended } => {
    const { orderId, messageId, sample, about = "left from the last run", sentAt } = followed;
    const record = byOrder.get(orderId);
    const rejected = byMessage.get(messageId);
    const described = record
      ? describeRecord(record)
      : rejected
        ? { state: "Quarantined", detail: `${rejected.faults.length} faults` }
        : { state: "Sent", detail: "" };
    const ending = endingOf(described.state);
    if (ending !== "unfinished" && !endedAt.has(messageId)) endedAt.set(messageId, now);
    const seconds = ((endedAt.get(messageId) ?? now) - sentAt) / 1000;
    return {
      row: { orderId, about: sample?.about ?? about, ...described, seconds },
      ended: {
        ...{ followed, ending, attempts: record?.attempt ?? 0, faults: rejected?.faults ?? [] },
        isIncomplete: record?.error?.kind === "compensationIncomplete",
      },
    };
  });
  return { rows: looks.map(({ row }) => row), ended: looks.map(({ ended }) => ended) };
}

function endingOf(state: string): Ended["ending"] {
  return ENDINGS.find((ending) => ending === state) ?? "unfinished";
}

/** Whether a sample ended as it has to. */
export function endedAsExpected({ followed, ending, attempts, isIncomplete }: Ended): boolean {
  const { sample } = followed;
  if (!sample) return ending !== "unfinished";
  if (sample.mayNeedPerson && isIncomplete) return true;
  return ending === sample.ends && (ending === "Quarantined" || attempts >= sample.attempts);
}
