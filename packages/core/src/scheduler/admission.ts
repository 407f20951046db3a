// Limits the number of jobs in flight (P26): jobs in progress go before new jobs. A job that is not admitted waits in its queue, at no cost and
// without a counted delivery. The jobs that wait for one agent hold back only jobs that need it, and take no other job's place.

import type { Priority } from "../domain/job.ts";
import { Outage, SentBack } from "../domain/outage.ts";
import { countWaits, NO_WAITS, type Waiting, type Waits } from "./waits-by-agent.ts";

/** `begun`: a job in a further attempt, which may have completed steps. */
export type AdmissionLane = Priority | "begun";

export interface Admission {
  /**
   * Resolves when one more job may be held.
   * @param workflow the workflow of a new job
   * @throws NotAdmitted if there was no room for a while
   * @throws AgentHeldUp if too many jobs wait for an agent that it needs
   */
  admit(lane: AdmissionLane, workflow?: string): Promise<void>;
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

export interface AdmissionOptions {
  /** The number of jobs in flight, counted where all processes see them. Throws if the store is unavailable. */
  readonly count: () => Promise<number>;
  /** The jobs in flight that wait for an agent, at most `limit` of them. Throws if the store is unavailable. */
  readonly waiting: (limit: number) => Promise<readonly Waiting[]>;
  /** The agents that a new job of the workflow needs. */
  readonly agentsOf: (workflow: string) => readonly string[];
  /** The number of jobs that attempts should hold. */
  readonly limit: number;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** Shares of the limit: jobs in progress are admitted when new jobs are not, and urgent jobs before others. */
const SHARE = { begun: 1.5, high: 1.25, normal: 1 } as const satisfies Record<AdmissionLane, number>;
/** If this share of the limit waits, nothing new is added: for one agent, nothing that needs it; for several, the engine has the backlog. */
const BACKLOG_SHARE = 0.1;
/**
 * This number of jobs may always wait. An instance that crashed leaves as many as it was submitting (`maxConcurrentCalls` in host.json), claimed
 * and not started. They wait until their start-by, and do not indicate a backlog.
 */
export const NO_BACKLOG = 32;
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
/** Limits how fast messages are sent back. */
const BEFORE_SENT_BACK_MS = 1000;

export function createAdmission({ count, waiting, agentsOf, limit, now, pause }: AdmissionOptions): Admission {
  const mostWaiting = Math.max(NO_BACKLOG, limit * BACKLOG_SHARE);
  let held = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  let waits: Waits = NO_WAITS;
  let waitsReadAt = Number.NEGATIVE_INFINITY;
  let allowance = 0;
  let counting: Promise<void> | undefined;
  let heldBack = 0;

  /** One count at a time, for any number of callers. */
  function recount(): Promise<void> {
    counting ??= countAnew().finally(() => {
      counting = undefined;
    });
    return counting;
  }

  async function countAnew(): Promise<void> {
    held = await count();
    if (held <= NO_BACKLOG) waits = NO_WAITS;
    else if (now() - waitsReadAt > WAITS_FRESH_MS) {
      const looked = waits.heldUp.size > 0 ? held : mostWaiting * FIRST_LOOKED;
      waits = countWaits(await waiting(Math.min(Math.ceil(looked), MOST_LOOKED)), mostWaiting);
      waitsReadAt = now();
    }
    countedAt = now();
    allowance = Math.max(1, (limit - held + waits.places) * PART_OF_ROOM);
  }

  /** The agent that keeps the job from being admitted, `no room`, or undefined. */
  function obstacle(
    lane: AdmissionLane,
    agents: readonly string[],
  ): { readonly agent: string } | "no room" | undefined {
    if (lane !== "begun") {
      const heldUp = lane === "high" ? waits.heldUpUrgent : waits.heldUp;
      const agent = agents.find((name) => heldUp.has(name));
      if (agent !== undefined) return { agent };
      if (waits.elsewhere > mostWaiting) return "no room";
    }
    return held - waits.places < limit * SHARE[lane] ? undefined : "no room";
  }

  async function admitted(lane: AdmissionLane, workflow: string | undefined): Promise<void> {
    const agents = workflow === undefined || lane === "begun" ? [] : agentsOf(workflow);
    const latest = now() + PATIENCE_MS;
    let isHeldBack = false;
    try {
      for (let waitMs = FIRST_PAUSE_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS)) {
        if (allowance < 1 || now() - countedAt > FRESH_MS) await recount();
        const why = obstacle(lane, agents);
        if (why === undefined && allowance >= 1) {
          allowance -= 1;
          held += 1;
          return;
        }
        if (typeof why === "object" && !isHeldBack) {
          if (heldBack >= MOST_HELD_BACK) {
            await pause(BEFORE_SENT_BACK_MS);
            throw heldUp(why.agent);
          }
          isHeldBack = true;
          heldBack += 1;
        }
        if (now() > latest) throw typeof why === "object" ? heldUp(why.agent) : noRoom();
        await pause(waitMs);
      }
    } finally {
      if (isHeldBack) heldBack -= 1;
    }
  }

  const heldUp = (agent: string) =>
    new AgentHeldUp(
      `${waits.byAgent.get(agent) ?? 0} jobs wait for the agent ${agent}, and it does not do their steps`,
    );
  const noRoom = () =>
    new NotAdmitted(`${held} jobs are in flight, of which ${waits.all} wait for their agents; the limit is ${limit}`);

  return { admit: admitted };
}
