// The jobs in flight that wait, by the agent that they wait for.
import type { Priority } from "../../domain/content/job.ts";

/** A job in flight that waits for an agent. */
export interface Waiting {
  readonly agent: string;
  readonly priority: Priority;
  /** For the first time, and nothing but the load of app and engine is known to keep its step. */
  readonly isLate: boolean;
}

/** What is seen of the jobs in flight. */
export interface FlightView {
  /** The number of jobs that were looked at. */
  readonly looked: number;
  readonly waiting: readonly Waiting[];
}

export interface Waits {
  /** The number of waiting jobs. */
  readonly all: number;
  readonly byAgent: ReadonlyMap<string, number>;
  /** The agents for which more jobs wait than may. */
  readonly heldUp: ReadonlySet<string>;
  /** The same, of urgent jobs alone: others hold no urgent job back. */
  readonly heldUpUrgent: ReadonlySet<string>;
  /** The places of the jobs that wait for agents that are held up: they take no other job's. */
  readonly places: number;
  /** Those, and the jobs that have failed or waited before: what they wait for is not the load of app and engine. */
  readonly known: number;
  /** The number of jobs that wait for other agents. */
  readonly elsewhere: number;
}

export const NO_WAITS: Waits = countWaits([], 0);

/** @param most the number of jobs that may wait for one agent */
export function countWaits(waiting: readonly Waiting[], most: number): Waits {
  const byAgent = countBy(waiting);
  const heldUp = moreThan(most, byAgent);
  const places = [...heldUp].reduce((sum, agent) => sum + (byAgent.get(agent) ?? 0), 0);
  const heldUpUrgent = moreThan(most, countBy(waiting.filter(({ priority }) => priority === "high")));
  const known = waiting.filter(({ agent, isLate }) => heldUp.has(agent) || !isLate).length;
  return { all: waiting.length, byAgent, heldUp, heldUpUrgent, places, known, elsewhere: waiting.length - places };
}

function countBy(waiting: readonly Waiting[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { agent } of waiting) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  return counts;
}

function moreThan(most: number, counts: ReadonlyMap<string, number>): ReadonlySet<string> {
  return new Set([...counts].flatMap(([agent, count]) => (count > most ? [agent] : [])));
}
