// The jobs in flight that wait, by the agent that they wait for.
import type { Priority } from "../../domain/content/job.ts";
import { instant } from "../../domain/duration.ts";
import { endedSince, heldUpBy, isLate } from "../../domain/record/held-up.ts";
import { runsInHand } from "../../domain/record/plan.ts";
import type { InFlight } from "../../store/job-store.ts";

/** A job in flight that waits for an agent. */
export interface Waiting {
  readonly agent: string;
  readonly priority: Priority;
  /** Nothing but the load of app and engine is known to keep its step; `again`: though that was scheduled again. */
  readonly isLate: boolean | "again";
}

/** What is seen of the jobs in flight. */
export interface FlightView {
  /** The number of jobs that were looked at. */
  readonly looked: number;
  readonly waiting: readonly Waiting[];
  /** How many of their steps ended lately. */
  readonly ended: number;
}

/** As long as a step waits before it is scheduled again for the first time. */
const LATELY_MS = 30_000;

/**
 * What the records of the jobs in flight show.
 * @param longMs a wait of this time for an agent is long
 * @throws if the store does not answer
 */
export async function flightViewOf(
  jobs: readonly InFlight[],
  now: number,
  longMs: number,
  isAway: (agent: string) => Promise<boolean>,
): Promise<FlightView> {
  const agents = new Set(jobs.flatMap(({ steps }) => runsInHand(steps).map(({ step }) => steps[step]?.agent ?? "")));
  const isAwayEach = await Promise.all([...agents].map(async (agent) => ((await isAway(agent)) ? [agent] : [])));
  const away = new Set(isAwayEach.flat());
  const waiting = jobs.flatMap((job) => {
    const agent = heldUpBy(job, now, longMs);
    return agent === undefined ? [] : [{ agent, priority: job.priority, isLate: isLate(job, now, longMs, away) }];
  });
  const since = instant(now - LATELY_MS);
  return { looked: jobs.length, waiting, ended: jobs.reduce((sum, job) => sum + endedSince(job, since), 0) };
}

export interface Waits {
  /** The number of waiting jobs. */
  readonly all: number;
  readonly byAgent: ReadonlyMap<string, number>;
  /** The agents for which more jobs wait than may. */
  readonly heldUp: ReadonlySet<string>;
  /** The same, of urgent jobs alone: others hold no urgent job back. */
  readonly heldUpUrgent: ReadonlySet<string>;
  /** The places of the jobs that wait for agents that are held up, or for what is known not to be load: they take no other job's. */
  readonly places: number;
  /** The number of the others. */
  readonly late: number;
  /** More was scheduled again, because nothing took it up, than has ended: each further job adds to that. */
  readonly isLosing: boolean;
}

/** What one sweep schedules again shows no load: its process may have died. */
const OF_ONE_SWEEP = 10;

export const NO_WAITS: Waits = countWaits({ looked: 0, waiting: [], ended: 0 }, 0);

/** @param most the number of jobs that may wait for one agent */
export function countWaits({ waiting, ended }: FlightView, most: number): Waits {
  const byAgent = countBy(waiting);
  const heldUp = moreThan(most, byAgent);
  const heldUpUrgent = moreThan(most, countBy(waiting.filter(({ priority }) => priority === "high")));
  const late = waiting.filter(({ agent, isLate }) => isLate && !heldUp.has(agent)).length;
  const again = waiting.filter(({ isLate }) => isLate === "again").length;
  const isLosing = again > Math.max(ended, OF_ONE_SWEEP);
  return { all: waiting.length, byAgent, heldUp, heldUpUrgent, places: waiting.length - late, late, isLosing };
}

function countBy(waiting: readonly Waiting[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { agent } of waiting) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  return counts;
}

function moreThan(most: number, counts: ReadonlyMap<string, number>): ReadonlySet<string> {
  return new Set([...counts].flatMap(([agent, count]) => (count > most ? [agent] : [])));
}
