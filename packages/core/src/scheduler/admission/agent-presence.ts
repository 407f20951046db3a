// Whether anybody takes an agent's work, as all processes together have seen it: a step that waits because there is too much to do is no failure,
// a step that waits because nobody takes the work is one (P26).

import { instant } from "../../domain/duration.ts";
import type { Interval } from "../../domain/record/wait.ts";
import type { PauseStore, Watch } from "../../store/pause-store.ts";
import type { Pauses } from "./pauses.ts";

/**
 * `paused`: an operator has paused it. `unknown`: it is not watched for long enough. `working`: it was seen to take up work. `back`: the same, after
 * a time in which it was not. `absent`: it is watched, and was not seen.
 */
export type Availability = "paused" | "unknown" | "working" | "back" | "absent";

export interface AgentPresence {
  /** Called when the agent takes up work. It never throws, and nobody waits for it. */
  seen(agent: string): void;
  /**
   * Watches the agent from now on, if it is not watched.
   * @param windowMs an agent with work is seen at least once in this time
   * @throws if the store does not answer
   */
  availability(agent: string, windowMs: number): Promise<Availability>;
  /** When an operator paused it, and has paused it. @throws if the store does not answer */
  pausesOf(agent: string): Promise<readonly Interval[]>;
}

/** A process notes no more often that it has seen an agent. */
const NOTE_EVERY_MS = 5000;
/** Longer than an answer of the store is kept: until then this process knows what it wrote, and no step of a sweep writes it again. */
const OWN_KEPT_MS = 10_000;
/** What waited for an agent goes on at once in this time after its return. */
const BACK_FOR_MS = 120_000;

export interface AgentPresencePorts {
  readonly pauses: Pick<Pauses, "isPaused" | "watchOf" | "pausesOf">;
  readonly store: Pick<PauseStore, "watch">;
  readonly now: () => number;
}

export function createAgentPresence({ pauses, store, now }: AgentPresencePorts): AgentPresence {
  const notedAt = new Map<string, number>();
  const own = new Map<string, { readonly watch: Watch; readonly at: number }>();

  function ownWatch(agent: string): Watch | undefined {
    const written = own.get(agent);
    return written && now() - written.at < OWN_KEPT_MS ? written.watch : undefined;
  }

  async function write(watch: Watch): Promise<void> {
    const at = now();
    own.set(watch.name, { watch, at });
    try {
      await store.watch(watch, at);
    } catch (cause) {
      own.delete(watch.name);
      throw cause;
    }
  }

  async function note(agent: string, at: number): Promise<void> {
    const watch = await pauses.watchOf(agent);
    if (!watch) return;
    const isBack = watch.absentAt !== null;
    const news = { seenAt: instant(at), absentAt: null, ...(isBack && { backAt: instant(at) }) };
    own.delete(agent);
    await store.watch({ ...watch, ...news }, at);
  }

  return {
    pausesOf: (agent) => pauses.pausesOf(agent),
    seen(agent) {
      const at = now();
      if (at - (notedAt.get(agent) ?? Number.NEGATIVE_INFINITY) < NOTE_EVERY_MS) return;
      notedAt.set(agent, at);
      // While the store is unavailable the next one is noted.
      note(agent, at).catch(() => notedAt.delete(agent));
    },
    async availability(agent, windowMs) {
      if (await pauses.isPaused({ kind: "agent", name: agent })) return "paused";
      const stored = ownWatch(agent) ?? (await pauses.watchOf(agent));
      // Another step of the same sweep may have begun the watch meanwhile.
      const watch = ownWatch(agent) ?? stored;
      const at = instant(now());
      if (!watch) {
        await write({ kind: "watch", name: agent, at, seenAt: null, absentAt: null, backAt: null });
        return "unknown";
      }
      const availability = availabilityOf(watch, now(), windowMs);
      if (availability === "absent" && watch.absentAt === null) await write({ ...watch, absentAt: at });
      return availability;
    },
  };
}

function availabilityOf({ at, seenAt, backAt }: Watch, now: number, windowMs: number): Availability {
  if (backAt !== null && now - Date.parse(backAt) < BACK_FOR_MS) return "back";
  const since = instant(now - windowMs);
  if (seenAt !== null && seenAt >= since) return "working";
  return at > since ? "unknown" : "absent";
}
