// P20: a minute of a random walk; `npm run node -- tests/chaos/main.ts` walks for longer. A seed that finds something is worth keeping here.

import { TOPOLOGIES } from "@scheduler-agent-supervisor/local";
import { expect, test } from "vitest";
import { chosenTopology } from "../support/chosen.ts";
import { noteRun } from "../support/last-run.ts";
import { runChaos } from "./chaos.ts";

const MINUTES = Number(process.env["CHAOS_MINUTES"] ?? 1);
/** Both, unless one is asked for. */
const topologies = process.env["TOPOLOGY"] === undefined ? TOPOLOGIES : [chosenTopology()];
const SEED = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);

test.each(topologies)(
  `P16 P20 P36 ${MINUTES} minutes of kills, freezes and failing services, seed ${SEED}, %s: every order ends, and all is published and in order`,
  async (topology) => {
    const lines: string[] = [];
    const report = await runChaos(SEED, MINUTES, topology, (line) => lines.push(line));
    const { faults, ...figures } = report;
    console.log(JSON.stringify(figures));
    const { orders, attempts, actions, staleReads } = figures;
    noteRun(
      topology === "flex" ? "chaos, flex" : "chaos",
      `seed ${SEED}, ${MINUTES} minutes: ${orders} orders, ${attempts} attempts, ${actions} faults injected, ${staleReads} stale reads, ${faults.length} problems found`,
    );
    const replay = `npm run node -- tests/chaos/main.ts --seed ${SEED} --minutes ${MINUTES} --topology ${topology}`;
    expect(faults, `${replay}\n${lines.join("\n")}\n${faults.slice(0, 20).join("\n")}`).toEqual([]);
    expect(figures.orders).toBeGreaterThan(MINUTES * 60);
    expect(staleReads).toBeGreaterThan(0);
  },
  (MINUTES + 6) * 60_000,
);
