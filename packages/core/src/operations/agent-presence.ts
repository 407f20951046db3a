// Whether anybody takes an agent's work, as all processes together have seen it: a step that waits because there is too much to do is no failure,
// a step that waits because nobody takes the work is one (P26).
import type { PauseStore, Watch } from "../store/pause-store.ts";
import type { Pauses } from "./pauses.ts";
import { instant } from "./ports.ts";

/**
 * `paused`: an operator has paused it. `unknown`: it is not watched for long enough. `working`: it was seen to take up work. `back`: the same, after
 * a time in which it was not. `absent`: it is watched, and was not seen.
 */
export type AgentStanding = "paused" | "unknown" | "working" | "back" | "absent";

export interface AgentPresence {
  /** Called when the agent takes up work. It never throws, and nobody waits for it. */
  seen(agent: string): void;
  /**
   * Watches the agent from now on, if it is not watched.
   * @param windowMs an agent with work is seen at least once in this time
   * @throws if the store does not answer
   */
  standing(agent: string, windowMs: number): Promise<AgentStanding>;
}

/** A process notes no more often that it has seen an agent. */
const NOTE_EVERY_MS = 5000;
/** What waited for an agent goes on at once in this time after its return. */
const BACK_FOR_MS = 120_000;

export interface AgentPresencePorts {
  readonly pauses: Pick<Pauses, "isPaused" | "watchOf">;
  readonly store: Pick<PauseStore, "watch">;
  readonly now: () => number;
}

export function createAgentPresence({ pauses, store, now }: AgentPresencePorts): AgentPresence {
  const notedAt = new Map<string, number>();

  async function note(agent: string, at: number): Promise<void> {
    const watch = await pauses.watchOf(agent);
    if (!watch) return;
    const isBack = watch.absentAt !== null;
    const news = { seenAt: instant(at), absentAt: null, ...(isBack && { backAt: instant(at) }) };
    await store.watch({ ...watch, ...news }, at);
  }

  return {
    seen(agent) {
      const at = now();
      if (at - (notedAt.get(agent) ?? Number.NEGATIVE_INFINITY) < NOTE_EVERY_MS) return;
      notedAt.set(agent, at);
      // While the store is unavailable the next one is noted.
      note(agent, at).catch(() => notedAt.delete(agent));
    },
    async standing(agent, windowMs) {
      if (await pauses.isPaused({ kind: "agent", name: agent })) return "paused";
      const watch = await pauses.watchOf(agent);
      const standing = watch ? standingOf(watch, now(), windowMs) : "unknown";
      const isNews = standing === "absent" ? watch?.absentAt === null : !watch;
      const at = instant(now());
      const begun: Watch = { kind: "watch", name: agent, at, seenAt: null, absentAt: null, backAt: null };
      if (isNews) await store.watch(watch ? { ...watch, absentAt: at } : begun, now());
      return standing;
    },
  };
}

function standingOf({ at, seenAt, backAt }: Watch, now: number, windowMs: number): AgentStanding {
  if (backAt !== null && now - Date.parse(backAt) < BACK_FOR_MS) return "back";
  const since = instant(now - windowMs);
  if (seenAt !== null && seenAt >= since) return "working";
  return at > since ? "unknown" : "absent";
}
