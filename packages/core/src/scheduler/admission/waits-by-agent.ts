// What is known of the jobs in flight: their weight, what waits for the engine, and what waits for which agent.
import type { Priority } from "../../domain/content/job.ts";
import { instant } from "../../domain/duration.ts";
import { endedSince, heldUpBy, isLate, untakenRuns } from "../../domain/record/held-up.ts";
import { runsInHand } from "../../domain/record/plan.ts";
import type { InFlight } from "../../store/job-store.ts";

/** A job in flight that waits for an agent. */
export interface Waiting {
  readonly agent: string;
  readonly priority: Priority;
  /** Nothing but the load of app and engine is known to keep its step; `again`: though that was scheduled again. */
  readonly isLate: boolean | "again";
  /** Its runs in flight, whatever each waits for. */
  readonly runs: number;
}

/** What is seen of the jobs in flight. */
export interface FlightView {
  /** The number of jobs that were looked at. */
  readonly looked: number;
  /** Their runs of steps in flight; a job has one at least. */
  readonly runs: number;
  /** Of these, the ones that nobody is known to have taken up, and nothing but load is known to keep. */
  readonly untaken: number;
  readonly waiting: readonly Waiting[];
  /** How many of their steps ended lately. */
  readonly ended: number;
}

/** Half as long as a step waits before it is scheduled again for the first time. */
const LATELY_MS = 15_000;

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
    const { priority } = job;
    return agent === undefined
      ? []
      : [{ agent, priority, isLate: isLate(job, now, longMs, away), runs: weightOf(job) }];
  });
  const since = instant(now - LATELY_MS);
  return {
    looked: jobs.length,
    runs: sum(jobs, weightOf),
    untaken: sum(jobs, (job) => untakenRuns(job, away).length),
    waiting,
    ended: sum(jobs, (job) => endedSince(job, since)),
  };
}

/** What its service does later is not in flight here. */
const weightOf = ({ steps }: InFlight) =>
  Math.max(1, runsInHand(steps).filter(({ run }) => run.state !== "Awaiting").length);

function sum<Of>(all: readonly Of[], of: (one: Of) => number): number {
  return all.reduce((known, one) => known + of(one), 0);
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
  /** The runs that a job in flight has, on average. */
  readonly weight: number;
  /** The runs that are neither among these places nor wait for the engine. */
  readonly atWork: number;
  /** The steps that ended lately. */
  readonly ended: number;
  /** More was scheduled again, because nothing took it up, than has ended: each further job adds to that. */
  readonly isLosing: boolean;
}

/** What one sweep schedules again shows no load: its process may have died. */
const OF_ONE_SWEEP = 10;

export const NO_WAITS: Waits = countWaits({ looked: 0, runs: 0, untaken: 0, waiting: [], ended: 0 }, 0, 0);

/** @param held the number of jobs in flight. @param most the number of jobs that may wait for one agent */
export function countWaits({ looked, runs, untaken, waiting, ended }: FlightView, held: number, most: number): Waits {
  const byAgent = countBy(waiting);
  const heldUp = moreThan(most, byAgent);
  const heldUpUrgent = moreThan(most, countBy(waiting.filter(({ priority }) => priority === "high")));
  const known = sum(waiting, ({ isLate, runs: own }) => (isLate ? 0 : own));
  const kept = sum(waiting, ({ isLate, agent, runs: own }) => (isLate && heldUp.has(agent) ? own : 0));
  const again = waiting.filter(({ isLate }) => isLate === "again").length;
  // Only the first due may have been looked at.
  const ofAll = looked === 0 ? 0 : held / looked;
  return {
    ...{ all: waiting.length, byAgent, heldUp, heldUpUrgent },
    places: (known + kept) * ofAll,
    weight: looked === 0 ? 1 : runs / looked,
    atWork: (runs - untaken - known) * ofAll,
    ended: ended * ofAll,
    isLosing: again > Math.max(ended, OF_ONE_SWEEP),
  };
}

function countBy(waiting: readonly Waiting[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { agent } of waiting) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  return counts;
}

function moreThan(most: number, counts: ReadonlyMap<string, number>): ReadonlySet<string> {
  return new Set([...counts].flatMap(([agent, count]) => (count > most ? [agent] : [])));
}
