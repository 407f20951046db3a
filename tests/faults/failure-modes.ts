// The failure modes, by the names of the tests; and docs/reference/failure-modes.md, with what the suites last came to.
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments, runCommand } from "../../cli/every-app/arguments.ts";
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

/** Every case, by what the site shows it: `npm run docs -- --show failure-modes`. */
export function tables(): string {
  const all = rows();
  const placed = new Set<Row>();
  const sections = SECTIONS.flatMap(([folder, heading]) => {
    const own = all.filter((row) => row.file.startsWith(folder) && !placed.has(row));
    if (own.length === 0) return [];
    for (const row of own) placed.add(row);
    return [`## ${heading}`, "", ...listOf(own), ""];
  });
  return sections.join("\n");
}

/** By actor. What all rows of a section share stands once above them. */
function listOf(own: readonly Row[]): string[] {
  const [file, fault] = (["file", "fault"] as const).map((cell) => onlyOne(own.map((row) => row[cell])));
  const shared = [...(file ? [`Test: \`${file}\`.`] : []), ...(fault ? [`Fault: ${fault}.`] : [])].join(" ");
  const groups = Map.groupBy(merged(own), ({ actor, point }) => (fault ? actor : `${actor}: ${point}`));
  const lines = [...groups].flatMap(([where, rows]) => [
    `- ${where}`,
    ...rows.map((row) => {
      const test = file ? "" : ` (\`${row.file}\`)`;
      return `  - **${(fault ? row.point : row.fault).replaceAll("every await of ", STAR)}**: ${row.what}${test}`;
    }),
  ]);
  return [...(shared ? [shared, ""] : []), ...lines];
}

/** Stands for "every await of". */
const STAR = "\\*";

const onlyOne = (texts: readonly string[]) => (new Set(texts).size === 1 ? texts[0] : undefined);

/** Rows that differ in their fault alone are one. */
function merged(own: readonly Row[]): Row[] {
  const groups = Map.groupBy(own, ({ actor, point, what, file }) => [actor, point, what, file].join(" | "));
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map((row) => ({ ...row, fault: group.map(({ fault }) => fault).join("; ") })),
  );
}

/** @param suites the table of what they last came to */
export function page(suites: string): string {
  return `# Failure modes

\`npm run docs -- --show failure-modes\` prints every case, each the name of a test: the actor and the point in its work (\\* stands for "every await of"), the fault, and what happens. The site has them below. In short:

| fault | what happens |
| --- | --- |
| a process dies, at any await | work continues from the last write; each step has one effect |
| bus or store down, slow, or a connection cut | messages are held, then wait in their queues; no failure is counted |
| a service does not answer | it is called again with the same key; then the step waits as its policy says |
| a service rejects a step | completed steps are compensated in reverse, or the order is in Error |
| the durable engine loses its data | the supervisor starts the next attempts |
| a message comes twice, or late | nothing changes |
| a message cannot be read | it is in the quarantine or the dead-letter queue; other orders go on |
| a supervisor loses its lease, or its clock is wrong | another one leads; late replies are fenced |
| a disk is full | nothing is acknowledged that is not kept |

In each test all orders have to end, with one effect for each step and direction at the remote services, and every status published, in order except for parallel steps. At the end no lock is held, no outbox has a message, and no orchestration runs.

All was seen on the local stack, on both of its engines. With Azure Storage as the engine, a storage account that is down [stops everything](../how-to/runbooks.md#the-storage-account-is-down).

\`npm test -- faults\` kills the host before and after each asynchronous call of the ports and the durable client, with a request to a service sent and not answered, and in recoveries. Points that eight runs did not reach again were not tested.

## The suites

Written by \`npm run node -- tests/faults/failure-modes.ts\`. The model has [its own page](../../tests/model/README.md).

${suites}

<!--@include: ./tables/failure-modes.md-->
`;
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

const USAGE = `npm run node -- tests/faults/failure-modes.ts
  writes docs/reference/failure-modes.md anew, from the last runs of the suites`;

if (import.meta.main)
  await runCommand(async () => {
    readArguments({}, USAGE);
    writeFileSync(PAGE, page(counts()));
    return 0;
  });
