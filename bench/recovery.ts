// `kill -9` of the host in the middle of a burst: how long until the orders in flight go on, and until all have ended.
import type { Stack } from "@scheduler-agent-supervisor/local";
import Table from "cli-table3";
import { settingsFor } from "../cli/settings.ts";
import { type Load, runLoad } from "./load.ts";

const MOST = 0.95;

/** Times from the kill on, in s. */
export interface Recovery {
  /** Sent, and not ended at the kill. */
  readonly inFlight: number;
  readonly failed: number;
  /** How long this number of orders takes at the rate before the kill. */
  readonly withoutKill: number;
  /** The next host answers. */
  readonly hostReady: number;
  /** The first end of an order after that: what the killed host had sent arrives before. */
  readonly firstEnd: number;
  /** `MOST` of them have ended: the others wait until a lease of the killed host expires. */
  readonly mostEnd: number;
  readonly lastEnd: number;
}

/** @param inFlight how many orders are in flight at the kill; as many have ended by then */
export async function measureRecovery(stack: Stack, inFlight: number, load: Omit<Load, "orders">): Promise<Recovery> {
  const begun = performance.now();
  const endedAt: number[] = [];
  let killedAt = Number.NaN;
  let readyAt = Number.NaN;
  let restart: Promise<void> = Promise.resolve();
  const killAndRestart = async () => {
    killedAt = performance.now();
    await stack.kill("host");
    await stack.restart("host");
    readyAt = performance.now();
  };
  const { failed } = await runLoad(
    settingsFor(stack.addresses),
    { ...load, orders: 2 * inFlight },
    (sent, ended) => console.log(`  ${sent} sent, ${ended} ended of ${2 * inFlight}`),
    (ended) => {
      if (ended === inFlight) restart = killAndRestart();
      if (ended > inFlight) endedAt.push(performance.now());
    },
  );
  await restart;
  const since = (at: number) => Math.round((at - killedAt) / 10) / 100;
  const after = endedAt.map(since);
  return {
    inFlight,
    failed,
    withoutKill: Math.round((killedAt - begun) / 10) / 100,
    hostReady: since(readyAt),
    firstEnd: after.find((seconds) => seconds > since(readyAt)) ?? Number.NaN,
    mostEnd: after[Math.ceil(after.length * MOST) - 1] ?? Number.NaN,
    lastEnd: after.at(-1) ?? Number.NaN,
  };
}

export function recoveryTable(recovery: Recovery): string {
  const table = new Table({ style: process.stdout.isTTY ? {} : { head: [], border: [] } });
  const { inFlight, failed } = recovery;
  table.push(
    ["orders in flight at kill -9 of the host", String(inFlight)],
    ["failed", String(failed)],
    ["so many take without a kill", `${recovery.withoutKill} s`],
    ["the next host answers", `${recovery.hostReady} s`],
    ["the next host ends an order", `${recovery.firstEnd} s`],
    [`${100 * MOST} % of the orders have ended`, `${recovery.mostEnd} s`],
    ["the last order ends", `${recovery.lastEnd} s`],
  );
  return table.toString();
}
