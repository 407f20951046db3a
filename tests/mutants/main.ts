// Plants one fault after the other and runs the suites that must see it. What no suite sees is a survivor.
import { styleText } from "node:util";
import Table from "cli-table3";
import { numberOf, readArguments, runCommand } from "../../cli/every-app/arguments.ts";
import { type Fault, obstaclesTo, type Suite } from "./fault.ts";
import { FAULTS } from "./faults.ts";
import { Lane, type Ran } from "./lane.ts";

const USAGE = `npm run node -- tests/mutants/main.ts [--row P12,P13] [--only TEXT] [--list] [--lanes N]
  Plants each fault of tests/mutants/faults, one at a time, in the sources as the suites load them, and runs the suites named for it.
  No file is changed. Ends with an error if a fault survives.
  --row ROW    only the faults of these rows of the pattern
  --only TEXT  only the faults whose sentence or file contains the text
  --list       lists the faults with their suites, and runs nothing
  --lanes N    how many faults are tried side by side (2)`;

interface Tried {
  readonly fault: Fault;
  /** Of each of its suites. */
  readonly ran: readonly Ran[];
}

const said = ({ breaks, file }: Fault) => `${breaks} ${file}`;
const nameOf = ({ file, only }: Suite) => (only === undefined ? file : `${file} -t ${only}`);
const seconds = (ms: number) => (ms / 1000).toFixed(1);

await runCommand(async () => {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values } = readArguments({ row: text, only: text, list: flag, lanes: text, help: flag }, USAGE);
  if (values["help"]) {
    console.log(USAGE);
    return 0;
  }
  const { row, only } = values as { readonly row?: string; readonly only?: string };
  const chosen = FAULTS.filter(
    (fault) =>
      (row === undefined || row.split(",").includes(fault.row)) && (only === undefined || said(fault).includes(only)),
  );
  if (chosen.length === 0) throw new Error("No fault is chosen: --list shows them.");
  if (values["list"]) {
    console.log(listOf(chosen));
    return 0;
  }
  const obstacles = chosen.flatMap(obstaclesTo);
  if (obstacles.length > 0) throw new Error(`The list has to be adapted:\n  ${obstacles.join("\n  ")}`);
  return run(chosen, numberOf(values, "lanes", 1, 8) ?? 2);
});

async function run(chosen: readonly Fault[], most: number): Promise<number> {
  const begun = performance.now();
  const say = (line: string) => console.log(`${seconds(performance.now() - begun).padStart(7)} s  ${line}`);
  const lanes = await Promise.all(Array.from({ length: Math.min(most, chosen.length) }, () => Lane.open()));
  try {
    say(`${chosen.length} faults, ${lanes.length} at a time`);
    const tried: Tried[] = [];
    const alone = new Map<string, Promise<Ran>>();
    /** A suite that fails without a fault sees none. */
    const tryOut = async (suite: Suite, fault: Fault, lane: Lane): Promise<Ran> => {
      const own = alone.get(nameOf(suite)) ?? lane.run(suite);
      alone.set(nameOf(suite), own);
      const { result, by } = await own;
      return result === "passed"
        ? lane.run(suite, fault)
        : { result: "unproven", by: `${result} without a fault: ${by}` };
    };
    await sharedOut(chosen, lanes, async (fault, lane) => {
      const ran: Ran[] = [];
      for (const suite of fault.seenBy) ran.push(await tryOut(suite, fault, lane));
      tried.push({ fault, ran });
      const end = survives({ fault, ran }) ? styleText("red", "survives") : "found";
      say(`${String(tried.length).padStart(4)}/${chosen.length}  ${end}  ${fault.row.padEnd(4)} ${fault.breaks}`);
      if (survives({ fault, ran })) console.log(unseenIn(fault, ran));
    });
    const survivors = tried.filter(survives);
    console.log(tableOf(tried));
    for (const { fault, ran } of survivors) console.log(styleText("red", inWords(fault, ran)));
    const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
    const outcome = `${chosen.length} faults planted, ${chosen.length - survivors.length} found, ${survivors.length} survive; ${minutes} minutes.`;
    console.log(styleText(survivors.length === 0 ? "green" : "red", outcome));
    return survivors.length === 0 ? 0 : 1;
  } finally {
    for (const lane of lanes) await lane[Symbol.asyncDispose]();
  }
}

/** Each lane takes the next item when it is free. */
async function sharedOut<T>(
  items: readonly T[],
  lanes: readonly Lane[],
  work: (item: T, lane: Lane) => Promise<void>,
): Promise<void> {
  const entries = items.values();
  await Promise.all(
    lanes.map(async (lane) => {
      for (const item of entries) await work(item, lane);
    }),
  );
}

/** Every suite named for it must fail, by a test: a source that can't be loaded shows nothing. */
function survives({ ran }: Tried): boolean {
  return ran.some(({ result }) => result !== "failed");
}

function tableOf(tried: readonly Tried[]): string {
  const table = new Table({ head: ["row", "planted", "found", "survive"], style: { head: [], border: [] } });
  const rows = new Set(FAULTS.map(({ row }) => row));
  for (const row of rows) {
    const own = tried.filter(({ fault }) => fault.row === row);
    const survivors = own.filter(survives).length;
    if (own.length > 0) table.push([row, own.length, own.length - survivors, survivors === 0 ? "" : survivors]);
  }
  return table.toString();
}

function inWords(fault: Fault, ran: readonly Ran[]): string {
  return `${fault.row}  ${fault.breaks}\n  ${fault.file}\n${unseenIn(fault, ran)}`;
}

/** The suites that did not fail. */
function unseenIn({ seenBy }: Fault, ran: readonly Ran[]): string {
  const suites = seenBy.flatMap((suite, index) => {
    const { result, by } = ran[index] ?? { result: "unloaded", by: "" };
    return result === "failed" ? [] : [`    ${nameOf(suite)}: ${result}, ${by}`];
  });
  return suites.join("\n");
}

function listOf(faults: readonly Fault[]): string {
  return faults
    .map(
      ({ row, breaks, file, seenBy }) => `${row.padEnd(4)} ${breaks}\n     ${file}; ${seenBy.map(nameOf).join(", ")}`,
    )
    .join("\n");
}
