// Lives of jobs on a rig: first as they are, which shows the points, then one for each point, with a death there.
import { setTimeout as sleep } from "node:timers/promises";
import { functionOf } from "./choice.ts";
import { ANY_JOB, type Arm } from "./probe-point.ts";
import type { Rig } from "./rig.ts";

/** For each kill: what the killed host had begun may first have to expire. */
const ENDS_WITHIN_MS = 60_000;
const TICKS_MS = 10_000;
/** Nobody is at work on a job that is at rest: what is wrong with it then stays wrong. */
const STAYS_AFTER_MS = 10_000;
const POLL_MS = 150;
const TRIES = 8;

/** What befalls a job, and what it has to come to. */
export interface Scenario<Hand> {
  readonly name: string;
  /** What has to fail before the point is reached. */
  readonly arms?: readonly Arm[];
  readonly drive: (hand: Hand) => Promise<void>;
}

export interface Life<Of> {
  readonly scenario: Of;
  /** Where the host dies; absent in a life that is left alone. */
  readonly deaths: readonly string[];
  /** The point belongs to no job: it is reached by whatever the host does while this one lives. */
  readonly ofAnyJob?: boolean;
}

export interface Lived<Of> extends Life<Of> {
  readonly jobId: string;
  /** The points that were reached, in order; after the first kill those of the recovery. */
  readonly points: readonly string[];
  /** Whether the host was killed at all of its points. */
  readonly crashed: boolean;
  readonly ms: number;
  readonly faults: readonly string[];
}

interface Verdict {
  /** All that is wrong with a job now, in words: empty once it has ended as it has to. */
  readonly faults: readonly string[];
  readonly isAtRest?: boolean;
}

/** How a job of a scenario is driven and judged. */
export interface Setup<Hand, Of> {
  readonly rig: Rig;
  readonly handFor: (jobId: string) => Hand;
  readonly judge: (scenario: Of, hand: Hand) => Promise<Verdict>;
  /** How often a life is lived again whose point was not reached. */
  readonly tries?: number;
}

let jobs = 0;

/**
 * A life, lived again if its point was not reached: some are reached only by what a new host does first, some only by the first
 * leader there ever was, and some by chance, as when a redelivery and the sweep race for a job.
 */
export async function live<Hand, Of extends Scenario<Hand>>(
  setup: Setup<Hand, Of>,
  life: Life<Of>,
): Promise<Lived<Of>> {
  for (let tries = 1; ; tries += 1) {
    const lived = await liveOnce(setup, life);
    if (lived.crashed || lived.faults.length > 0 || tries === (setup.tries ?? TRIES)) return lived;
    await setup.rig.renew(functionOf(life.deaths.at(-1) ?? ""), tries % 2 === 0 ? "no leader yet" : undefined);
  }
}

async function liveOnce<Hand, Of extends Scenario<Hand>>(setup: Setup<Hand, Of>, life: Life<Of>): Promise<Lived<Of>> {
  const { rig, handFor, judge } = setup;
  jobs += 1;
  const jobId = `c${jobs}-${life.scenario.name.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  const watched = life.ofAnyJob ? ANY_JOB : jobId;
  await rig.untilUp();
  const begun = Date.now();
  const kills = life.deaths.map((point): Arm => ({ point, act: "kill" }));
  rig.watch(jobId, []);
  rig.watch(watched, [...(life.scenario.arms ?? []), ...kills]);
  let faults: readonly string[] = ["it was not looked at"];
  let crashed = false;
  try {
    const hand = handFor(jobId);
    await life.scenario.drive(hand);
    let giveUpAt = Date.now() + ENDS_WITHIN_MS * Math.max(1, kills.length);
    let restsSince: number | undefined;
    do {
      await sleep(POLL_MS);
      crashed = rig.notReached(watched).length === 0;
      const verdict = await judge(life.scenario, hand);
      faults = verdict.faults;
      restsSince = verdict.isAtRest ? (restsSince ?? Date.now()) : undefined;
      if (restsSince !== undefined) giveUpAt = Math.min(giveUpAt, restsSince + STAYS_AFTER_MS);
      // A tick comes every second.
    } while (
      (faults.length > 0 && Date.now() < giveUpAt) ||
      (life.ofAnyJob && !crashed && Date.now() < begun + TICKS_MS)
    );
  } catch (cause) {
    faults = [String(cause)];
  }
  rig.forget(jobId);
  rig.forget(watched);
  const { points } = rig.noted(jobId);
  return { ...life, jobId, points, crashed, ms: Date.now() - begun, faults };
}
