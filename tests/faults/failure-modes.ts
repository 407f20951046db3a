// Writes docs/failure-modes.md from the names of the tests, with the counts of the last run: `npm run failure-modes`.
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../cli/settings.ts";
import { type CrashCounts, LAST_RUN } from "./crash/report.ts";

export const PAGE = join(ROOT, "docs", "failure-modes.md");
/** What `npm run faults` has vitest write. */
const RESULTS = join(ROOT, ".local", "faults", "results.json");

export interface Row {
  readonly actor: string;
  readonly point: string;
  readonly fault: string;
  readonly what: string;
  readonly file: string;
}

/** `[actor | point | fault] what happens`, as a text in a suite. */
const NAME = /"\[([^"|\]]+) \| ([^"|\]]+) \| ([^"|\]]+)\] ([^"]+)"/g;

const SECTIONS: readonly (readonly [folder: string, heading: string])[] = [
  ["tests/faults/crash/", "The host killed"],
  ["tests/faults/network", "Bus and state store"],
  ["tests/faults/remotes", "Remote services"],
  ["tests/faults/messages", "Messages"],
  ["tests/faults/supervisors", "Supervisors, clocks and the lease"],
  ["tests/faults/full-disk", "The disk"],
  ["tests/", "Elsewhere"],
];

const COUNTS = /<!-- counts -->\n(.*)\n<!-- end of counts -->/s;
const NOT_RUN = "Not run yet here.";

export function rows(): Row[] {
  const files = globSync("tests/**/*.ts", { cwd: ROOT }).sort();
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(NAME)].map(
      ([, actor = "", point = "", fault = "", what = ""]) => ({
        actor,
        point,
        fault,
        what,
        // The suite that has the scenarios run.
        file: file.endsWith(".test.ts") ? file : file.replace("scenarios.ts", "crash-points.test.ts"),
      }),
    ),
  );
}

/** The part of the page that a test holds against the suites. */
export function tables(): string {
  const all = rows();
  const placed = new Set<Row>();
  return SECTIONS.flatMap(([folder, heading]) => {
    const own = all.filter((row) => row.file.startsWith(folder) && !placed.has(row));
    if (own.length === 0) return [];
    for (const row of own) placed.add(row);
    const lines = own.map(
      ({ actor, point, fault, what, file }) => `| ${[actor, point, fault, what, `\`${file}\``].join(" | ")} |`,
    );
    return [
      `## ${heading}`,
      "",
      "| actor | point | fault | what happens | test |",
      "| --- | --- | --- | --- | --- |",
      ...lines,
      "",
    ];
  }).join("\n");
}

function page(counts: string): string {
  return `# Failure modes

Who, at which point, meets which fault, what happens then, and the test that shows it. The rows are the names of the tests:
\`npm run failure-modes\` writes this page, and a test sees that it is current. \`npm run faults\` runs them all.

In each of them orders have to come to their end, with one effect for each step and direction at the remote services, with every
status told at least once and in order, with no lock held, no notice left and no orchestration running.

The points at which the host is killed are found by running: the ports and the durable client are wrapped, and every asynchronous call
is a point before it and one after; for remote services also one with the request sent and not yet answered. \`npm run faults\` kills
at each, and at those that only a recovery reaches after the death that led there. \`npm run test:long\` kills at one point for each
kind of thing that is written or sent, and at one at least for each function: a death before a call leaves what one after the call before
it leaves.

<!-- counts -->
${counts}
<!-- end of counts -->

${tables()}`;
}

function counts(): string {
  const before = existsSync(PAGE) ? COUNTS.exec(readFileSync(PAGE, "utf8"))?.[1] : undefined;
  if (!existsSync(RESULTS) || !existsSync(LAST_RUN)) return before ?? NOT_RUN;
  const { numPassedTests, numTotalTests, startTime } = JSON.parse(readFileSync(RESULTS, "utf8")) as Results;
  const { whole, points, kills, missed, faults, seconds, actors } = JSON.parse(
    readFileSync(LAST_RUN, "utf8"),
  ) as CrashCounts;
  const day = new Date(startTime).toISOString().slice(0, 10);
  const among = Object.entries(actors).map(([actor, number]) => `| ${actor} | ${number} |`);
  return [
    `Last run, ${day}: ${numPassedTests} of ${numTotalTests} tests passed. The host was killed ${kills} times in ${seconds} s, at ${points}`,
    `points${whole ? "" : " (one for each kind of write)"}, ${missed} of which were not reached a second time; ${faults} orders ended wrong.`,
    "",
    "| whose await | points |",
    "| --- | --- |",
    ...among,
  ].join("\n");
}

interface Results {
  readonly numPassedTests: number;
  readonly numTotalTests: number;
  readonly startTime: number;
}

if (import.meta.main) writeFileSync(PAGE, page(counts()));
