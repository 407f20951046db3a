// P20: a minute of a random walk; `npm run chaos` walks for longer. A seed that finds something is worth keeping here.
import { expect, test } from "vitest";
import { noteRun } from "../support/last-run.ts";
import { chosenTopology } from "../support/test-stack.ts";
import { runChaos } from "./chaos.ts";

const MINUTES = Number(process.env["CHAOS_MINUTES"] ?? 1);
const TOPOLOGY = chosenTopology();
const SEED = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);

test(
  `P20 P16 ${MINUTES} minutes of kills, freezes and failing services, seed ${SEED}: every order ends, and all is told and in order`,
  async () => {
    const lines: string[] = [];
    const report = await runChaos(SEED, MINUTES, TOPOLOGY, (line) => lines.push(line));
    const { faults, ...figures } = report;
    console.log(JSON.stringify(figures));
    const { orders, attempts, actions } = figures;
    noteRun(
      TOPOLOGY === "flex" ? "chaos, flex" : "chaos",
      `seed ${SEED}, ${MINUTES} minutes: ${orders} orders, ${attempts} attempts, ${actions} things that went wrong, ${faults.length} faults found`,
    );
    const replay = `npm run chaos -- --seed ${SEED} --minutes ${MINUTES} --topology ${TOPOLOGY}`;
    expect(faults, `${replay}\n${lines.join("\n")}\n${faults.slice(0, 20).join("\n")}`).toEqual([]);
    expect(figures.orders).toBeGreaterThan(MINUTES * 60);
  },
  (MINUTES + 6) * 60_000,
);
