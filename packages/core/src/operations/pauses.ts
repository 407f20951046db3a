// Operators pause a workflow or an agent: new work waits and counts as no failure, work in hand ends. Every process sees it within seconds.
import { setTimeout as sleep } from "node:timers/promises";
import { SentBack } from "../domain/outage.ts";
import type { Pause, Paused, PauseStore } from "../store/pause-store.ts";
import { type Context, instant, type Ports } from "./ports.ts";
import { remembered } from "./remembered.ts";
import { writeAuditLog } from "./write-audit-log.ts";

/** New jobs of the workflow wait in their queue. */
export class WorkflowPaused extends SentBack {
  override readonly name = "WorkflowPaused";
}

export interface Pauses {
  /** Throws where the store does not answer. */
  current(): Promise<readonly Pause[]>;
  /** Where the store is away, as it was last known; it never throws. */
  isPaused(paused: Paused): Promise<boolean>;
  /** False where it is paused already. */
  pause(pause: Omit<Pause, "at">): Promise<boolean>;
  /** False where it is not paused. */
  resume(paused: Paused): Promise<boolean>;
}

/** The store's own retries take longer. */
const PATIENCE_MS = 500;

export function createPauses(store: PauseStore, now: () => number): Pauses {
  let known: readonly Pause[] = [];
  /** Each process that works reads one small query, once in some seconds. */
  const latest = remembered(now, async () => {
    known = await store.all();
    return known;
  });
  /** No step and no job waits long for a store that is away. */
  async function lastKnownAfter(read: Promise<readonly Pause[]>): Promise<readonly Pause[]> {
    const limit = new AbortController();
    try {
      return await Promise.race([read, sleep(PATIENCE_MS, known, { signal: limit.signal })]);
    } catch {
      return known;
    } finally {
      limit.abort();
    }
  }

  const changed = async (change: Promise<boolean>): Promise<boolean> => {
    const isChanged = await change;
    latest.forget();
    return isChanged;
  };
  return {
    current: latest.read,
    async isPaused({ kind, name }) {
      // Each job and each step asks: a timer for each of them would cost more than all else here.
      const pauses = latest.known()?.answer ?? (await lastKnownAfter(latest.read()));
      return pauses.some((pause) => pause.kind === kind && pause.name === name);
    },
    pause: (pause) => changed(store.add({ ...pause, at: instant(now()) })),
    resume: (paused) => changed(store.remove(paused)),
  };
}

export interface PauseChange extends Paused {
  readonly change: "pause" | "resume";
  readonly reason: string;
}

/** Order of writes: the pause, then the audit log. Asked for again, nothing is changed and nothing is entered. */
export async function changePause(
  { kind, name, change, reason }: PauseChange,
  operator: string,
  pauses: Pauses,
  context: Context<Pick<Ports, "supervision" | "now">>,
): Promise<readonly Pause[]> {
  const isChanged =
    change === "pause" ? await pauses.pause({ kind, name, by: operator, reason }) : await pauses.resume({ kind, name });
  if (isChanged) {
    const about = { action: `${change} ${kind} ${name}`, jobId: null, reason, outcome: "done" };
    const entry = { at: instant(context.now()), operator, ...about, before: null, after: null };
    await writeAuditLog(entry, null, context);
  }
  return pauses.current();
}
