// Six thousand orders in a burst (LOAD_ORDERS for more), three kills under way: all end, memory stays flat, and nobody is retried for having waited.
import { readdirSync, readFileSync } from "node:fs";
import type { ProcessName } from "@scheduler-agent-supervisor/local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noteRun } from "../support/last-run.ts";
import { THREE_STEPS } from "../support/orders.ts";
import { containerOf } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const ORDERS = Number(process.env["LOAD_ORDERS"] ?? 6_000);
/** When this part of them has ended, this process dies. */
const KILLS: readonly (readonly [ended: number, victim: ProcessName])[] = [
  [0.1, "host"],
  [0.3, "services"],
  [0.5, "host"],
];
const SAMPLE_MS = 2000;
const WITHIN_MS = 15 * 60_000;
/** What a kill may make expire: the orders that were under way, of which the gate at the door keeps but few. */
const CAUGHT_BY_A_KILL = 1500;

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack();
});
afterAll(() => app?.[Symbol.asyncDispose]());

test(
  `P16 ${ORDERS} orders in a burst and three kills: all end, memory is flat, and what waits in the queue is not retried`,
  async () => {
    const container = containerOf(app.settings);
    const count = async (condition: string) => {
      const query = `SELECT VALUE COUNT(1) FROM c WHERE c.id = 'state' AND ${condition}`;
      return Number((await container.items.query<number>(query).fetchAll()).resources[0] ?? 0);
    };
    const begun = Date.now();
    let unsent: unknown;
    const sending = app.shop
      .sendMany(ORDERS, undefined, { onSent: () => undefined }, THREE_STEPS.name)
      .catch((cause) => {
        unsent = cause;
      });
    const memory: { ended: number; megabytes: number }[] = [];
    const kills = [...KILLS];
    for (let ended = 0; ended < ORDERS; ) {
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
      if (unsent) throw unsent;
      ended = await count("c.processState = 'Processed'").catch(() => ended);
      memory.push({ ended, megabytes: megabytesOfAll() });
      const [next] = kills;
      if (next && ended >= next[0] * ORDERS) {
        await app.stack.kill(next[1], "SIGKILL");
        await app.stack.restart(next[1]);
        kills.shift();
      }
      if (Date.now() - begun > WITHIN_MS) throw new Error(`${ended} orders after ${WITHIN_MS} ms`);
    }
    await sending;
    expect(kills, "all kills came under way").toEqual([]);
    const seconds = Math.round((Date.now() - begun) / 1000);
    const expired = await count("c.failureCount > 0");
    const after = memory.filter(({ ended }) => ended > 0.55 * ORDERS).map(({ megabytes }) => megabytes);
    const cameTo = `${ORDERS.toLocaleString("en")} orders and ${KILLS.length} kills in ${seconds} s, ${expired} orders retried, memory of all processes at most ${Math.max(...after)} MB`;
    console.log(cameTo);
    noteRun("load", cameTo);

    expect(await count("c.processState != 'Processed'")).toBe(0);
    expect(expired).toBeLessThan(CAUGHT_BY_A_KILL);
    // Half of the burst went through after the last kill: what grows with the orders would have grown.
    const [early, late] = [after.slice(0, after.length >> 1), after.slice(after.length >> 1)];
    expect(Math.max(...late)).toBeLessThan(Math.max(...early) * 1.3 + 50);
    for (const [service, path] of [
      ["shipping", "shipments"],
      ["inventory", "reservations"],
      ["payment", "charges"],
    ] as const) {
      const keys = (await app.effects(service)).map(({ key }) => key);
      expect(keys, path).toHaveLength(ORDERS);
      expect(new Set(keys).size, path).toBe(ORDERS);
    }
  },
  WITHIN_MS + 60_000,
);

/** Resident, of the stack's processes and their children (the host's worker is one). */
function megabytesOfAll(): number {
  const pids = new Set(app.stack.processes.map(({ pid }) => pid));
  let pages = 0;
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      if (pids.has(Number(entry)) || pids.has(parent))
        pages += Number(readFileSync(`/proc/${entry}/statm`, "utf8").split(" ")[1]);
    } catch {
      // It has ended.
    }
  }
  return Math.round((pages * 4096) / 2 ** 20);
}
