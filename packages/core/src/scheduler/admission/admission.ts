// Limits the number of jobs in flight (P26): jobs in progress go before new jobs. A job that is not admitted waits in its queue, at no cost and
// without a counted delivery. The jobs that wait for one agent hold back only jobs that need it, and take no other job's place.

import type { Priority } from "../../domain/content/job.ts";
import { Outage, SentBack } from "../../domain/outage.ts";
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
  /** What is known of the jobs in flight, of the first due, `limit` at most. Throws if the store is unavailable. */
  readonly view: (limit: number) => Promise<FlightView>;
  /** How many steps the engine began in this process in the last seconds: fewer than it can. */
  readonly engineBegan: () => number;
  /** The agents that a new job of the workflow needs. */
  readonly agentsOf: (workflow: string) => readonly string[];
  /** The number of runs of steps that may be in flight, where the engine keeps up with them; a job has one at least. */
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
/** If this share of the limit waits for one agent, nothing is added that needs it. */
const BACKLOG_SHARE = 0.1;
/**
 * This number of jobs may always wait. An instance that crashed leaves as many as it was submitting (`maxConcurrentCalls` in host.json), claimed
 * and not started. They wait until their start-by, and do not indicate a backlog.
 */
export const NO_BACKLOG = 32;
/** As many runs may wait for the engine while it is not known how fast it is: of an instance that crashed, and as many more. */
export const FIRST = 2 * NO_BACKLOG;
/** Fewer jobs are not looked at, and weigh one. */
const FEW = 8;
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
  const { count, view, engineBegan, agentsOf, limit, fairness, now, pause } = options;
  const mostWaiting = Math.max(NO_BACKLOG, limit * BACKLOG_SHARE);
  const shares = fairness && createFairShares(fairness.share, limit, () => places("normal"), now);
  /** The runs in flight: each job weighs as many as the jobs that were looked at have on average. */
  let held = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  let waits: Waits = NO_WAITS;
  let waitsReadAt = Number.NEGATIVE_INFINITY;
  let allowance = 0;
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
    const jobs = await countJobs();
    if (jobs <= FEW) waits = NO_WAITS;
    else if (now() - waitsReadAt > WAITS_FRESH_MS) await look(jobs);
    held = jobs * waits.weight;
    countedAt = now();
    allowance = Math.max(1, (places("normal") - held + waits.places) * PART_OF_ROOM);
  }

  async function countJobs(): Promise<number> {
    if (!fairness || !shares) return count();
    const byKey = await fairness.countByKey();
    shares.counted(byKey);
    return [...byKey.values()].reduce((sum, jobs) => sum + jobs, 0);
  }

  async function look(jobs: number): Promise<void> {
    const most = waits.places > mostWaiting ? jobs : mostWaiting * FIRST_LOOKED;
    waits = countWaits(await view(Math.min(Math.ceil(most), MOST_LOOKED)), jobs, mostWaiting);
    waitsReadAt = now();
  }

  /**
   * How many runs may be in flight: no more wait for the engine than it does in half of the time that a step may wait for it, by what has ended, or has
   * begun here. What its agent has taken up does not wait for the engine.
   */
  function places(lane: AdmissionLane): number {
    const most = limit * SHARE[lane];
    if (lane === "begun") return most;
    return Math.min(most, waits.atWork + Math.max(FIRST, waits.ended, engineBegan()) * SHARE[lane]);
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
      if (waits.isLosing) return "no room";
      if (use === "beyond" || use === "count") return "no share";
      if (use === "owed") return undefined;
    }
    return held - waits.places < places(lane) && allowance >= 1 ? undefined : "no room";
  }

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
      `${Math.round(held)} runs are in flight, and ${waits.all} jobs wait for their agents; the limit is ${Math.round(places("normal"))} now, and ${limit} at most`,
    );

  return { admit: admitted };
}
