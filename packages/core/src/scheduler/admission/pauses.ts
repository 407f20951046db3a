// Operators pause a workflow or an agent: new work waits and counts as no failure, work in progress ends. Every process sees it within seconds.
import { instant } from "../../domain/duration.ts";
import { SentBack } from "../../domain/outage.ts";
import type { Interval } from "../../domain/record/wait.ts";
import { sleep } from "../../domain/timer.ts";
import type { Pause, Paused, PauseStore, Watch } from "../../store/pause-store.ts";
import { remembered } from "../../store/remembered.ts";

/** New jobs of the workflow wait in their queue. */
export class WorkflowPaused extends SentBack {
  override readonly name = "WorkflowPaused";
}

export interface Pauses {
  /** Throws if the store does not answer. */
  current(): Promise<readonly Pause[]>;
  /** The agent's watch, at most some seconds old. Throws if the store does not answer. */
  watchOf(agent: string): Promise<Watch | undefined>;
  /** When the agent was paused, and is: what is known of the last month. Throws if the store does not answer. */
  pausesOf(agent: string): Promise<readonly Interval[]>;
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
    const all = await store.all();
    known = all.filter((one) => one.kind !== "watch" && one.kind !== "rest");
    const [watches, rests] = [all.filter((one) => one.kind === "watch"), all.filter((one) => one.kind === "rest")];
    return { pauses: known, watches, rests };
  });
  /** No step and no job waits long for an unavailable store. */
  async function lastKnownAfter(read: Promise<{ readonly pauses: readonly Pause[] }>): Promise<readonly Pause[]> {
    const limit = new AbortController();
    try {
      return await Promise.race([
        read.then(({ pauses }) => pauses),
        sleep(PATIENCE_MS, { signal: limit.signal }).then(() => known),
      ]);
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
    current: async () => (await latest.read()).pauses,
    watchOf: async (agent) => (await latest.read()).watches.find(({ name }) => name === agent),
    async pausesOf(agent) {
      const { pauses, rests } = await latest.read();
      const own = [...rests, ...pauses.filter(({ kind }) => kind === "agent")].filter(({ name }) => name === agent);
      return own.map((one) => ({ from: one.at, ...("until" in one && { until: one.until }) }));
    },
    async isPaused({ kind, name }) {
      // Each job and each step calls this: a timer for each call would cost more than everything else here.
      const pauses = latest.known()?.answer.pauses ?? (await lastKnownAfter(latest.read()));
      return pauses.some((pause) => pause.kind === kind && pause.name === name);
    },
    pause: (pause) => changed(store.add({ ...pause, at: instant(now()) })),
    async resume(paused) {
      // Before it is over: a wait that begins to run again while nobody knows how long it stood still would end too early.
      const before = (await store.all()).find(({ kind, name }) => kind === paused.kind && name === paused.name);
      if (before?.kind === "agent")
        await store.rested({ kind: "rest", name: before.name, at: before.at, until: instant(now()) });
      const isChanged = await changed(store.remove(paused));
      if (!isChanged || paused.kind !== "agent") return isChanged;
      // What waited for it did not wait because nobody takes its work.
      const at = instant(now());
      await store.watch({ kind: "watch", name: paused.name, at, seenAt: null, absentAt: null }, now());
      return true;
    },
  };
}
