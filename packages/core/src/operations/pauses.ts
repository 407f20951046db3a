// Operators pause a workflow or an agent: new work waits and counts as no failure, work in progress ends. Every process sees it within seconds.
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
  /** Throws if the store does not answer. */
  current(): Promise<readonly Pause[]>;
  /** While the store is unavailable, the last known answer; it never throws. */
  isPaused(paused: Paused): Promise<boolean>;
  /** False if it is paused already. */
  pause(pause: Omit<Pause, "at">): Promise<boolean>;
  /** False if it is not paused. */
  resume(paused: Paused): Promise<boolean>;
}

/** The store's own retries take longer. */
const PATIENCE_MS = 500;

export function createPauses(store: PauseStore, now: () => number): Pauses {
  let known: readonly Pause[] = [];
  /** Each active process reads one small query, once in some seconds. */
  const latest = remembered(now, async () => {
    known = await store.all();
    return known;
  });
  /** No step and no job waits long for an unavailable store. */
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
      // Each job and each step calls this: a timer for each call would cost more than everything else here.
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

/** Order of writes: the pause, then the audit log. A second request changes nothing and writes no entry. */
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
