// Whether anybody takes an agent's work, as all processes together have seen it: a step that waits because there is too much to do is no failure,
// a step that waits because nobody takes the work is one (P26). The engine is watched as an agent is: what it did not hand out, no agent could take.

import { instant } from "../../domain/duration.ts";
import { Outage } from "../../domain/outage.ts";
import type { Interval } from "../../domain/record/wait.ts";
import { isThrown } from "../../domain/thrown.ts";
import type { PauseStore, Watch } from "../../store/pause-store.ts";
import type { Pauses } from "./pauses.ts";

/**
 * `paused`: an operator has paused it. `unknown`: it is not watched for long enough, or the engine hands nothing out. `working`: it was seen to take up
 * work. `absent`: it is watched, and was not seen.
 */
type Availability = "paused" | "unknown" | "working" | "absent";

export interface AgentPresence {
  /** Called when the agent takes up work. It never throws, and nobody waits for it. */
  seen(agent: string): void;
  /**
   * Called when an activity begins, in time or not. It never throws, and nobody waits for it.
   * @param scheduledAt when its step was scheduled
   */
  began(scheduledAt: string): void;
  /**
   * Called when the engine can't be reached or is found not to know an attempt, or when an activity fails by an outage: the engine does not run it
   * again, so what waited until now waited for the engine. While the store does not take that, the next one who sees or asks tells it.
   */
  engineLost(): Promise<void>;
  /** How late the engine began activities in this process, at most, in the last minutes. */
  readonly engineLateMs: number;
  /** How many activities the engine began in this process in the last seconds: in ten at least, and in twenty at most. */
  readonly engineBegan: number;
  /**
   * Watches the agent from now on, if it is not watched.
   * @param windowMs an agent with work is seen at least once in this time
   * @param inARowMs it is absent only if it was not seen in this time either; as `windowMs` if absent
   * @throws if the store does not answer
   */
  availability(agent: string, windowMs: number, inARowMs?: number): Promise<Availability>;
  /** Whether its work is known to wait for the agent alone: an operator has paused it, or it is absent. @throws if the store does not answer */
  isAway(agent: string): Promise<boolean>;
  /** When an operator paused it, and has paused it. @throws if the store does not answer */
  pausesOf(agent: string): Promise<readonly Interval[]>;
}

/** No agent has this name. */
const ENGINE = "(engine)";
/** A process notes no more often that it has seen an agent. */
const NOTE_EVERY_MS = 5000;
/** Longer than an answer of the store is kept: until then this process knows what it wrote, and no step of a sweep writes it again. */
const OWN_KEPT_MS = 10_000;

/** @param work does what the engine does not do again if it fails: no agent could take up what an outage kept from it. */
export async function handedOut<Done>(presence: AgentPresence, work: () => Promise<Done>): Promise<Done> {
  try {
    return await work();
  } catch (cause) {
    if (isThrown(Outage, cause)) await presence.engineLost();
    throw cause;
  }
}

export interface AgentPresencePorts {
  readonly pauses: Pick<Pauses, "isPaused" | "watchOf" | "pausesOf">;
  readonly store: Pick<PauseStore, "watch">;
  readonly now: () => number;
}

export function createAgentPresence({ pauses, store, now }: AgentPresencePorts): AgentPresence {
  const notedAt = new Map<string, number>();
  const own = new Map<string, { readonly watch: Watch; readonly at: number }>();
  /** The agents that were not seen, as this process last judged them. */
  const unseenAt = new Map<string, number>();
  const longestDelay = createRecent(DELAY_KEPT_MS, Math.max, now);
  const begun = createRecent(BEGUN_KEPT_MS, (one, other) => one + other, now);
  /** The store does not know yet that the engine was lost. */
  let owesLoss = false;

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

  async function noteLoss(): Promise<void> {
    if (!owesLoss) return;
    await begin(ENGINE);
    owesLoss = false;
  }

  async function note(agent: string, at: number): Promise<void> {
    await noteLoss();
    const watch = await pauses.watchOf(agent);
    if (!watch) return;
    own.delete(agent);
    await store.watch({ ...watch, seenAt: instant(at), absentAt: null }, at);
  }

  function seen(agent: string): void {
    const at = now();
    if (at - (notedAt.get(agent) ?? Number.NEGATIVE_INFINITY) < NOTE_EVERY_MS) return;
    notedAt.set(agent, at);
    // While the store is unavailable the next one is noted.
    note(agent, at).catch(() => notedAt.delete(agent));
  }

  /** What is known of it now. Begins the watch if there is none. */
  async function watchOf(name: string): Promise<Watch> {
    const stored = ownWatch(name) ?? (await pauses.watchOf(name));
    // Another step of the same sweep may have begun the watch meanwhile.
    const known = ownWatch(name) ?? stored;
    if (known) return known;
    return begin(name);
  }

  async function begin(name: string): Promise<Watch> {
    const watch: Watch = { kind: "watch", name, at: instant(now()), seenAt: null, absentAt: null };
    await write(watch);
    return watch;
  }

  /**
   * The engine was lost in that time, or is not known to have handed anything out. It is watched where several agents are not seen: one alone may be
   * dead.
   */
  async function mayBeEngine(agent: string, windowMs: number): Promise<boolean> {
    unseenAt.set(agent, now());
    const isOther = ([name, at]: readonly [string, number]) => name !== agent && now() - at < windowMs;
    const isWatched = [...unseenAt].some(isOther);
    const engine = isWatched ? await watchOf(ENGINE) : (ownWatch(ENGINE) ?? (await pauses.watchOf(ENGINE)));
    const since = now() - windowMs;
    return engine !== undefined && (engine.at > instant(since) || seenSince(engine, since) !== "working");
  }

  return {
    pausesOf: (agent) => pauses.pausesOf(agent),
    seen,
    began(scheduledAt) {
      seen(ENGINE);
      longestDelay.saw(now() - Date.parse(scheduledAt));
      begun.saw(1);
    },
    async engineLost() {
      // Each message that is held during an outage finds it.
      if (ownWatch(ENGINE)) return;
      owesLoss = true;
      await noteLoss().catch(() => undefined);
    },
    get engineLateMs() {
      return longestDelay.value;
    },
    get engineBegan() {
      return begun.value;
    },
    async availability(agent, windowMs, inARowMs = windowMs) {
      if (await pauses.isPaused({ kind: "agent", name: agent })) return "paused";
      await noteLoss();
      const watch = await watchOf(agent);
      const availability = seenSince(watch, now() - windowMs, now() - inARowMs);
      if (availability !== "absent") {
        unseenAt.delete(agent);
        return availability;
      }
      if (await mayBeEngine(agent, windowMs)) return "unknown";
      const newest = ownWatch(agent) ?? watch;
      if (newest.absentAt === null) await write({ ...newest, absentAt: instant(now()) });
      return "absent";
    },
    async isAway(agent) {
      if (await pauses.isPaused({ kind: "agent", name: agent })) return true;
      const watch = ownWatch(agent) ?? (await pauses.watchOf(agent));
      return watch !== undefined && watch.absentAt !== null;
    },
  };
}

function seenSince({ at, seenAt }: Watch, sinceMs: number, inARowMs = sinceMs): "working" | "unknown" | "absent" {
  if (seenAt !== null && seenAt >= instant(inARowMs)) return "working";
  return at > instant(sinceMs) ? "unknown" : "absent";
}

/** A step that passes through an engine that was slow needs more time for so long. */
const DELAY_KEPT_MS = 120_000;
const BEGUN_KEPT_MS = 10_000;

interface Recent {
  saw(value: number): void;
  /** None if nothing was seen. */
  readonly value: number;
}

/** What was seen, put together: of this time at least, and of twice this time at most. */
function createRecent(keptMs: number, join: (one: number, other: number) => number, now: () => number): Recent {
  let [since, newest, before] = [Number.NEGATIVE_INFINITY, 0, 0];
  const turn = () => {
    const age = now() - since;
    if (age < keptMs) return;
    [since, newest, before] = [now(), 0, age < 2 * keptMs ? newest : 0];
  };
  return {
    saw(value) {
      turn();
      newest = join(newest, value);
    },
    get value() {
      turn();
      return join(newest, before);
    },
  };
}
