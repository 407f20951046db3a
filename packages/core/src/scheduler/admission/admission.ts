// Limits the number of jobs in flight (P26): jobs in progress go before new jobs. A job that is not admitted waits in its queue, at no cost and
// without a counted delivery. The jobs that wait for one agent hold back only jobs that need it, and take no other job's place.

import type { Priority } from "../../domain/content/job.ts";
import { Outage, SentBack } from "../../domain/outage.ts";
import { createAdaptiveLimit } from "./adaptive-limit.ts";
import { createFairShares, createTurns, type Fairness } from "./fair-shares.ts";
import { countWaits, type FlightView, NO_WAITS, type Waits } from "./waits-by-agent.ts";

/** `begun`: a job in a further attempt, which may have completed steps. */
export type AdmissionLane = Priority | "begun";

export type Leave = () => void;

/** What a new job is counted by among those of others: see fair-shares.ts. */
export interface FairKey {
  readonly key: string;
  /** Its queue has jobs of this key alone: where they wait, they are in nobody's way. */
  readonly isAlone: boolean;
}

export interface Admission {
  /**
   * Resolves when one more job may be held. The answer is to be called when the job is recorded and claimed, or could not be.
   * @param workflow the workflow of a new job
   * @param fair its fairness key
   * @throws NotAdmitted if there was no room for a while
   * @throws AgentHeldUp if too many jobs wait for an agent that it needs
   * @throws ShareTaken if its key holds its share, and its queue has jobs of other keys too
   */
  admit(lane: AdmissionLane, workflow?: string, fair?: FairKey): Promise<Leave | undefined>;
}

/** The caller's message should wait in its queue. */
export class NotAdmitted extends Outage {
  override readonly name = "NotAdmitted";
}

/** The same, and it leaves its place to jobs that can go on: behind it in its queue may be others. */
export class AgentHeldUp extends SentBack {
  override readonly name = "AgentHeldUp";
  override readonly afterMs = 10_000;
  override readonly isSaid = false;
}

/** Its key holds its share of the places in flight: the jobs of other keys that are behind it in its queue go first. */
export class ShareTaken extends SentBack {
  override readonly name = "ShareTaken";
  override readonly isSaid = false;
  override readonly afterMs: number;
  constructor(key: string, afterMs: number) {
    super(`those of "${key}" hold their share of the places in flight, and others are active`);
    this.afterMs = afterMs;
  }
}

export interface AdmissionOptions {
  /** The number of jobs in flight, counted where all processes see them. Throws if the store is unavailable. */
  readonly count: () => Promise<number>;
  /** The jobs in flight that wait for an agent, of the first due, `limit` at most. Throws if the store is unavailable. */
  readonly waiting: (limit: number) => Promise<FlightView>;
  /** The agents that a new job of the workflow needs. */
  readonly agentsOf: (workflow: string) => readonly string[];
  /** The number of jobs that attempts should hold, where the engine keeps up with them: see adaptive-limit.ts. */
  readonly limit: number;
  /** Absent: jobs have no keys. With it, the jobs are counted by key in the place of `count`. */
  readonly fairness?: Fairness | undefined;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** A message that waits in this process for what others behind it may not need. */
interface Aside {
  readonly lacks: "agent" | "share";
  readonly leave: () => undefined;
}

/** Shares of the limit: jobs in progress are admitted when new jobs are not, and urgent jobs before others. */
const SHARE = { begun: 1.5, high: 1.25, normal: 1 } as const satisfies Record<AdmissionLane, number>;
/** If this share of the limit waits, nothing new is added: for one agent, nothing that needs it; for several that take work, the engine has the backlog. */
const BACKLOG_SHARE = 0.1;
/**
 * This number of jobs may always wait. An instance that crashed leaves as many as it was submitting (`maxConcurrentCalls` in host.json), claimed
 * and not started. They wait until their start-by, and do not indicate a backlog.
 */
export const NO_BACKLOG = 32;
/** The number of jobs in flight while it is not known how fast the engine is: of an instance that crashed, and as many more. */
export const FIRST = 2 * NO_BACKLOG;
/** A count is used for this time. */
const FRESH_MS = 250;
/** A wait takes seconds to be seen at all. */
const WAITS_FRESH_MS = 2000;
/** Of the jobs in flight the first due are looked at, enough to find a backlog; while there is one, all of them. */
const FIRST_LOOKED = 4;
const MOST_LOOKED = 2000;
/** Every process admits by its own count, so each takes only a part of the room that it finds. */
const PART_OF_ROOM = 0.25;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;
/** Shorter than the time for which a message's lock is renewed. */
const PATIENCE_MS = 60_000;
/** In a process this number of messages waits for agents that are held up. More would keep messages of other workflows from being received. */
export const MOST_HELD_BACK = 16;
/** A place of a key's share is looked for at least this often: as often as there is a new count. */
const LONGEST_FAIR_PAUSE_MS = FRESH_MS;
/** In a process this number of messages waits for their keys' shares, where others are behind them in their queue. */
export const MOST_OVER_SHARE = 16;
/** Of both together: fewer than a function's concurrent calls (`maxConcurrentCalls` in host.json), so that it always looks at further messages. */
export const MOST_ASIDE = 24;
/** Limits how fast messages are sent back. */
const BEFORE_SENT_BACK_MS = 1000;

export function createAdmission(options: AdmissionOptions): Admission {
  const { count, waiting, agentsOf, limit, fairness, now, pause } = options;
  const mostWaiting = Math.max(NO_BACKLOG, limit * BACKLOG_SHARE);
  const adaptive = createAdaptiveLimit(FIRST, limit);
  const shares = fairness && createFairShares(fairness.share, limit, () => adaptive.current, now);
  let held = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  let waits: Waits = NO_WAITS;
  let waitsReadAt = Number.NEGATIVE_INFINITY;
  let allowance = 0;
  let admittedSince = 0;
  let counting: Promise<void> | undefined;
  let heldBack = 0;
  /** Of the messages of queues with several keys, those that wait for their key's share. */
  let overShare = 0;
  const turns = createTurns();

  /** One count at a time, for any number of callers. */
  function recount(): Promise<void> {
    counting ??= countAnew().finally(() => {
      counting = undefined;
    });
    return counting;
  }

  async function countAnew(): Promise<void> {
    const [before, admittedBefore] = [held, admittedSince];
    admittedSince = 0;
    if (fairness && shares) {
      const byKey = await fairness.countByKey();
      shares.counted(byKey);
      held = [...byKey.values()].reduce((sum, jobs) => sum + jobs, 0);
    } else held = await count();
    adaptive.counted({ held, before, admitted: admittedBefore }, now());
    if (adaptive.mayWiden(now()) || (held > NO_BACKLOG && now() - waitsReadAt > WAITS_FRESH_MS)) await lookAtWaits();
    else if (held <= NO_BACKLOG) waits = NO_WAITS;
    countedAt = now();
    allowance = Math.max(1, (Math.min(limit, adaptive.current) - held + waits.places) * PART_OF_ROOM);
  }

  async function lookAtWaits(): Promise<void> {
    const most = waits.heldUp.size > 0 ? held : mostWaiting * FIRST_LOOKED;
    const view = await waiting(Math.min(Math.ceil(most), MOST_LOOKED));
    waits = countWaits(view, mostWaiting);
    waitsReadAt = now();
    const late = view.waiting.filter(({ isLate }) => isLate);
    adaptive.saw(
      view.looked,
      late.length,
      late.every(({ agent }) => waits.heldUp.has(agent)),
      now(),
    );
  }

  /** The agent that keeps the job from being admitted, `no share` of its key, `no room`, or undefined. */
  function obstacle(
    lane: AdmissionLane,
    agents: readonly string[],
    key: string | undefined,
  ): { readonly agent: string } | "no share" | "no room" | undefined {
    if (key !== undefined && shares && turns.taken(key) >= shares.atOnce(key)) return "no share";
    const use = (key !== undefined && shares?.useOf(key)) || "usual";
    if (lane !== "begun") {
      const heldUp = lane === "high" ? waits.heldUpUrgent : waits.heldUp;
      const agent = agents.find((name) => heldUp.has(name));
      if (agent !== undefined) return { agent };
      if (waits.late > mostWaiting || waits.isLosing) return "no room";
      if (use === "beyond" || use === "count") return "no share";
      if (use === "owed") return undefined;
    }
    const hasRoom = held - waits.places < limit * SHARE[lane] && (lane === "begun" || keepsUp(lane));
    return hasRoom && allowance >= 1 ? undefined : "no room";
  }

  /** Whether the engine is seen to do one more in time. */
  const keepsUp = (lane: Priority) => held - waits.places < adaptive.current * SHARE[lane];

  async function admitted(
    lane: AdmissionLane,
    workflow: string | undefined,
    fair: FairKey | undefined,
  ): Promise<Leave | undefined> {
    const agents = workflow === undefined || lane === "begun" ? [] : agentsOf(workflow);
    const key = lane === "begun" || !shares ? undefined : fair?.key;
    if (key !== undefined) shares?.asked(key);
    const latest = now() + PATIENCE_MS;
    let aside: Aside | undefined;
    try {
      for (let waitMs = FIRST_PAUSE_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS)) {
        const isUsedUp = key !== undefined && shares?.useOf(key) === "count";
        if (allowance < 1 || isUsedUp || now() - countedAt > FRESH_MS) await recount();
        const why = obstacle(lane, agents, key);
        if (why === undefined) {
          allowance -= 1;
          held += 1;
          admittedSince += 1;
          if (key === undefined) return undefined;
          shares?.took(key);
          return turns.take(key);
        }
        // What it waits for may change, as when an agent is found to be held up: then it waits among others.
        const lacks = typeof why === "object" ? "agent" : why === "no share" ? "share" : aside?.lacks;
        if (aside && aside.lacks !== lacks) aside = aside.leave();
        if (typeof why === "object") aside ??= await waitForAgent(why.agent);
        if (why === "no share" && fair) aside ??= waitForShare(fair);
        if (now() > latest) throw typeof why === "object" ? heldUp(why.agent) : noRoom();
        if (why !== "no share" || key === undefined) await pause(waitMs);
        else await Promise.race([pause(Math.min(waitMs, LONGEST_FAIR_PAUSE_MS)), turns.next(key)]);
      }
    } finally {
      aside?.leave();
    }
  }

  /** @throws AgentHeldUp if enough messages wait for agents in this process */
  async function waitForAgent(agent: string): Promise<Aside> {
    if (heldBack >= MOST_HELD_BACK || heldBack + overShare >= MOST_ASIDE) {
      await pause(BEFORE_SENT_BACK_MS);
      throw heldUp(agent);
    }
    heldBack += 1;
    return {
      lacks: "agent",
      leave: () => {
        heldBack -= 1;
      },
    };
  }

  /** @throws ShareTaken if enough messages wait in this process, and others may be behind this one in its queue */
  function waitForShare({ key, isAlone }: FairKey): Aside {
    if (isAlone) return { lacks: "share", leave: () => undefined };
    if (overShare >= MOST_OVER_SHARE || heldBack + overShare >= MOST_ASIDE) {
      throw new ShareTaken(key, shares?.backIn(key) ?? 0);
    }
    overShare += 1;
    return {
      lacks: "share",
      leave: () => {
        overShare -= 1;
      },
    };
  }

  const heldUp = (agent: string) =>
    new AgentHeldUp(
      `${waits.byAgent.get(agent) ?? 0} jobs wait for the agent ${agent}, and it does not do their steps`,
    );
  const noRoom = () =>
    new NotAdmitted(
      `${held} jobs are in flight, of which ${waits.all} wait for their agents; the limit is ${adaptive.current} now, and ${limit} at most`,
    );

  return { admit: admitted };
}
