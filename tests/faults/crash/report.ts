// What a run of the crash points came to: a table for people, and a line for docs/reference/failure-modes.md.
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { actorOf, type Lived as LivedOf } from "@scheduler-agent-supervisor/testing/faults";
import Table from "cli-table3";
import { ROOT } from "../../../cli/settings.ts";
import { chosenTopology } from "../../support/chosen.ts";
import { noteRun } from "../../support/last-run.ts";
import type { Scenario } from "./scenario.ts";

type Lived = LivedOf<Scenario>;

const LIVES = join(ROOT, ".local", "faults", "lives.log");

/** A line for each life, as it ends: a run of all of them takes long. */
export function noteLife({ jobId, deaths, crashed, ms, faults }: Lived): void {
  mkdirSync(dirname(LIVES), { recursive: true });
  const what = faults.length > 0 ? faults.join("; ") : crashed ? "ended as it had to" : "not reached again";
  appendFileSync(LIVES, `${new Date().toISOString()} ${jobId} ${ms} ms, ${deaths.join(", then ")}: ${what}\n`);
}

interface Counts {
  readonly kills: number;
  readonly staleReads: number;
}

export function reportCrashes(lived: readonly Lived[], { kills, staleReads }: Counts, ms: number): void {
  const byActor = new Map<string, Lived[]>();
  for (const one of lived) {
    const actor = actorOf(one.deaths.at(-1) ?? "");
    byActor.set(actor, [...(byActor.get(actor) ?? []), one]);
  }
  const table = new Table({ head: ["whose await", "points", "not reached again", "wrong"], style: { head: [] } });
  for (const [actor, own] of [...byActor].sort()) table.push([actor, own.length, countMissed(own), countWrong(own)]);
  table.push(["in all", lived.length, countMissed(lived), countWrong(lived)]);
  const seconds = Math.round(ms / 1000);
  console.log(`${table.toString()}\n${kills} kills of the host and ${staleReads} stale reads in ${seconds} s`);
  const whole = process.env["FAULTS"] === "all";
  const plain = lived.filter(({ deaths }) => deaths.length === 1);
  const further = lived.filter(({ deaths }) => deaths.length > 1);
  noteRun(
    chosenTopology() === "flex" ? "crash, flex" : whole ? "crash" : "crash, a choice",
    [
      `killed ${kills} times in ${seconds} s, ${staleReads} stale reads`,
      `at ${countCrashed(plain)} of ${plain.length} points of runs without an earlier kill`,
      ...(further.length > 0 ? [`at ${countCrashed(further)} of ${further.length} that only a recovery reaches`] : []),
      `${countWrong(lived)} orders ended wrong`,
    ].join(", "),
  );
}

const countCrashed = (lived: readonly Lived[]): number => lived.length - countMissed(lived);
const countMissed = (lived: readonly Lived[]): number => lived.filter(({ crashed }) => !crashed).length;
const countWrong = (lived: readonly Lived[]): number => lived.filter(({ faults }) => faults.length > 0).length;
