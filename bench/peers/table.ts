// The results as the table of the page on performance, and its place there.
import { shown, spreadOf } from "../median.ts";
import { VARIANTS } from "./engines.ts";
import type { Plan, Results, Run } from "./rounds.ts";
import type { Measured } from "./target.ts";

const BEGIN = "<!-- peers: written by bench/peers -->";
const END = "<!-- end of peers -->";

/** When and of what it was measured. */
export interface Provenance {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
}

/** An engine without a number has the reason in its place, in each of its rows. */
export function tableOf({ runs, versions, missing }: Results, plan: Plan, provenance: Provenance): string {
  const head = ["engine", "orders/s", "CPU ms an order", `p50 at ${plan.rate}/s, ms`, `p99 at ${plan.rate}/s, ms`];
  const rows = VARIANTS.filter(({ engine }) => plan.engines.includes(engine)).map(({ row, engine }) => {
    const absent = missing.find((each) => each.engine === engine);
    return absent ? [row, `not measured: ${inOneCell(absent.reason)}`, "", "", ""] : [row, ...numbersOf(row, runs)];
  });
  const failed = runs.reduce((sum, { burst, steady }) => sum + burst.failed + steady.failed, 0);
  const times = plan.rounds === 1 ? "one round" : `${plan.rounds} rounds, median (least to most)`;
  return [
    `${provenance.date}, commit \`${provenance.commit}\`, ${provenance.machine}; bursts of ${plan.orders} and ${plan.seconds} s at ${plan.rate} a second; ${times}.`,
    ...(failed > 0 ? ["", `**${failed} orders failed: these numbers compare nothing.**`] : []),
    "",
    ...[head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`),
    "",
    `Versions: ${[...new Set(Object.values(versions).flat())].join(", ")}.`,
  ].join("\n");
}

/** @throws if the page lacks the place of the table */
export function placeTable(page: string, table: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`the page lacks "${BEGIN}" and then "${END}": the table stands between them`);
  return `${page.slice(0, begin)}${BEGIN}\n\n${table}\n\n${page.slice(end)}`;
}

function numbersOf(row: string, runs: readonly Run[]): string[] {
  const own = runs.filter((run) => run.row === row);
  const cell = (of: (run: Run) => number) => shown(spreadOf(own.map(of).map(rounded)));
  const [burst, steady] = (["burst", "steady"] as const).map(
    (phase) => (of: (measured: Measured) => number) => cell((run) => of(run[phase])),
  ) as [Cells, Cells];
  return [
    burst(({ ordersPerSecond }) => ordersPerSecond),
    burst(({ cpuMsPerOrder }) => cpuMsPerOrder),
    steady(({ p50Ms }) => p50Ms),
    steady(({ p99Ms }) => p99Ms),
  ];
}

type Cells = (of: (measured: Measured) => number) => string;

/** Three digits: the fourth is never the same twice. */
const rounded = (value: number): number => Number(value.toPrecision(3));

const inOneCell = (text: string): string => (text.split("\n")[0] ?? "").replaceAll("|", "\\|").slice(0, 200);
