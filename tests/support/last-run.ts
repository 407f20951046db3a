// What each long suite came to when it ran last: docs/reference/failure-modes.md shows it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../cli/settings.ts";

/** In the order in which the page has them, with what each does. */
export const SUITES = {
  model: ["tests/model", "every reachable state of small models"],
  crash: ["tests/faults/crash", "the host killed at each await, also in recovery (`npm test -- faults`)"],
  "crash, a choice": [
    "tests/faults/crash",
    "the same at one point for each kind of write or message (`npm test -- long`)",
  ],
  "crash, flex": ["tests/faults/crash", "in the flex topology (`TOPOLOGY=flex`) one process killed"],
  chaos: ["tests/chaos", "random kills, freezes and failing services"],
  "chaos, flex": ["tests/chaos", "the same in the flex topology"],
  input: ["tests/input", "generated messages, most of them wrong or hostile"],
  outages: ["tests/outages", "store, bus, storage or a service down (`npm run node -- tests/outages/main.ts`: longer)"],
  "engine loss": [
    "tests/engine-loss",
    "the durable engine lost (`npm run node -- tests/engine-loss/main.ts`: more orders)",
  ],
  load: ["tests/load", "a burst of orders, and kills of the host"],
  overload: ["tests/load", "a service with too little capacity (`npm run node -- tests/load/main.ts`)"],
} as const;

export type Suite = keyof typeof SUITES;

export interface LastRun {
  /** An ISO 8601 instant. */
  readonly at: string;
  /** As git names what was run, with `-dirty` where files differed from it; absent without git. */
  readonly commit?: string;
  readonly cameTo: string;
}

const fileOf = (suite: Suite) => join(ROOT, ".local", "last-runs", `${suite.replaceAll(/\W+/g, "-")}.json`);

/** @param cameTo one line, its figures measured in this run */
export function noteRun(suite: Suite, cameTo: string): void {
  const file = fileOf(suite);
  mkdirSync(join(file, ".."), { recursive: true });
  const { stdout } = spawnSync("git", ["describe", "--always", "--dirty", "--exclude=*"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const commit = stdout?.trim();
  const run: LastRun = { at: new Date().toISOString(), ...(commit && { commit }), cameTo };
  writeFileSync(file, JSON.stringify(run));
}

export function lastRun(suite: Suite): LastRun | undefined {
  const file = fileOf(suite);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as LastRun) : undefined;
}
