// Writes docs/reference/failure-modes.md from the names of the tests, with what the suites last came to: `npm run failure-modes`.
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments, runCommand } from "../../cli/arguments.ts";
import { ROOT } from "../../cli/settings.ts";
import { lastRun, SUITES, type Suite } from "../support/last-run.ts";

export const PAGE = join(ROOT, "docs", "reference", "failure-modes.md");

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
  ["tests/outages/", "Long outages"],
  ["tests/engine-loss/", "The durable engine"],
  ["tests/faults/regions", "Regions"],
  ["tests/faults/remotes", "Remote services"],
  ["tests/faults/messages", "Messages"],
  ["tests/faults/supervisors", "Supervisors, clocks and the lease"],
  ["tests/faults/full-disk", "The disk"],
  ["tests/", "Elsewhere"],
  ["packages/core/tests/", "The operations alone, without an engine and over the store in memory"],
];

export function rows(): Row[] {
  const files = globSync(["tests/**/*.ts", "packages/core/tests/**/*.ts"], { cwd: ROOT }).sort();
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(NAME)].map(
      ([, actor = "", point = "", fault = "", what = ""]) => ({
        actor,
        point,
        fault,
        what,
        // The suite that has the scenarios run.
        file: file.endsWith(".test.ts")
          ? file
          : file.replace(/(recovery-)?scenarios\.ts/, "crash-points.test.ts").replace("kinds.ts", "outages.test.ts"),
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

This page lists the tested failure modes. Each row has the actor, the point in its work, the fault, the result and the test. The rows are the names of the tests:
\`npm run failure-modes\` generates this page, and a test checks that it is current. \`npm run faults\` runs them all.

The rows were seen on the local stack, with the durable engine that it has by default (\`fast\`); the suites of the durable engine ran on both local engines, and a row names another
engine where it was seen on that one alone. Both local engines keep their data in files of their own, so a storage account that is down does not stop them. On Microsoft's host with Azure Storage as the
engine it stops everything: see [what to do then](../how-to/runbooks.md#the-storage-account-is-down).

In each test all orders have to end, with one effect for each step and direction at the remote services. Every status has to be
published at least once, in order except for parallel steps. At the end no lock is held, no outbox has a message, and no orchestration runs.

A first run finds the points at which the host can be killed. It wraps the ports and the durable client: there is one point before every asynchronous call
and one after it. For remote services there is one more, with the request sent and not yet answered. \`npm run faults\` kills the host
at each point, and at those that only a recovery reaches after a kill. \`npm run test:long\` kills it at one point for each
kind of write or message, and at least once in each function: a kill before a call leaves the same state as a kill after the previous
call. Each run has its own stack. Some points depend on timing, for example if two steps race for the end of the order, or a redelivery and the sweep for
an order. The table below counts the points that eight runs did not reach again; those were not tested.

## The suites

${counts}

The model has its own page: [tests/model/README.md](../../tests/model/README.md).

${tables()}`;
}

/** A suite that did not run here since keeps the line that it had. */
function counts(): string {
  const before = existsSync(PAGE) ? readFileSync(PAGE, "utf8").split("\n") : [];
  const lines = Object.entries(SUITES).map(([suite, [folder, what]]) => {
    const begins = `| \`${folder}\` | ${what} |`;
    const run = lastRun(suite as Suite);
    if (!run) return before.find((line) => line.startsWith(begins)) ?? `${begins} | not run yet |`;
    const at = run.commit === undefined ? "" : `, at \`${run.commit}\``;
    return `${begins} ${run.at.slice(0, 10)}${at} | ${run.cameTo} |`;
  });
  return ["| suite | what it does | last run | result |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

const USAGE = `npm run failure-modes
  writes docs/reference/failure-modes.md anew, from the names of the tests and the last runs of the suites`;

if (import.meta.main)
  await runCommand(async () => {
    readArguments({}, USAGE);
    writeFileSync(PAGE, page(counts()));
    return 0;
  });
