// Lives of orders on a rig: first as they are, which shows the points, then one for each point, with a death there.
import { setTimeout as sleep } from "node:timers/promises";
import { ANY_ORDER, type Arm } from "../../support/probe-point.ts";
import { faultsOf } from "../check-life.ts";
import { evidenceOf } from "../evidence.ts";
import { Hand, type Rig } from "./rig.ts";
import type { Scenario } from "./scenario.ts";

const ENDS_WITHIN_MS = 60_000;
const TICKS_MS = 10_000;
const POLL_MS = 150;
const TRIES = 8;
export interface Life {
  readonly scenario: Scenario;
  /** Where the host dies; absent in a life that is left alone. */
  readonly deaths: readonly string[];
  /** The point belongs to no order: it is reached by whatever the host does while this one lives. */
  readonly ofAnyOrder?: boolean;
}

export interface Lived extends Life {
  readonly orderId: string;
  /** What was reached, in order; after the first death that is the recovery from it. */
  readonly points: readonly string[];
  /** Whether the host died at all of its points. */
  readonly crashed: boolean;
  readonly ms: number;
  readonly faults: readonly string[];
}

let orders = 0;

/**
 * A life, lived again if its point was not reached: some are reached only by what a new host does first, some only by the first
 * leader there ever was, and some by chance, as when a redelivery and the sweep race for an order.
 */
export async function live(rig: Rig, life: Life): Promise<Lived> {
  for (let tries = 1; ; tries += 1) {
    const lived = await liveOnce(rig, life);
    if (lived.crashed || lived.faults.length > 0 || tries === TRIES) return lived;
    await rig.renew(tries % 2 === 0 ? "no leader yet" : undefined);
  }
}

async function liveOnce(rig: Rig, life: Life): Promise<Lived> {
  orders += 1;
  const orderId = `c${orders}-${life.scenario.name.replaceAll(/[^a-z]+/g, "-")}`;
  const watched = life.ofAnyOrder ? ANY_ORDER : orderId;
  const begun = Date.now();
  const kills = life.deaths.map((point): Arm => ({ point, act: "kill" }));
  rig.watch(orderId, []);
  rig.watch(watched, [...(life.scenario.arms ?? []), ...kills]);
  let faults: readonly string[] = ["it was not looked at"];
  let crashed = false;
  try {
    await life.scenario.drive(new Hand(rig.app, orderId));
    const giveUpAt = Date.now() + ENDS_WITHIN_MS;
    do {
      await sleep(POLL_MS);
      crashed = rig.notReached(watched).length === 0;
      faults = faultsOf(life.scenario.end, await evidenceOf(rig.app, orderId));
      // A tick comes every second.
    } while (
      (faults.length > 0 && Date.now() < giveUpAt) ||
      (life.ofAnyOrder && !crashed && Date.now() < begun + TICKS_MS)
    );
  } catch (cause) {
    faults = [String(cause)];
  }
  rig.forget(orderId);
  rig.forget(watched);
  const { points } = rig.noted(orderId);
  return { ...life, orderId, points, crashed, ms: Date.now() - begun, faults };
}
