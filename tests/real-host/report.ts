// What the phases came to, side by side for the real host and the project's own: a table for people.
import Table from "cli-table3";
import type { Burst } from "./burst.ts";
import type { Figures } from "./figures.ts";
import { HOW_ENDED, type HostKind, type Victim } from "./host-under-test.ts";
import type { KillResult } from "./kills.ts";
import type { SamplesResult } from "./samples.ts";
import type { Slow } from "./slow.ts";
import { histogram } from "./tally.ts";

export interface HostReport {
  samples?: SamplesResult;
  burst?: Omit<Burst, "records">;
  slow?: Slow;
  kills?: readonly KillResult[];
  figures?: Figures;
}

export type Report = Partial<Record<HostKind, HostReport>>;

type Cells = (report: HostReport) => string | undefined;

export function reportTable(report: Report): string {
  const hosts = Object.entries(report) as [HostKind, HostReport][];
  const table = newTable(["", ...hosts.map(([kind]) => `${kind} host`)]);
  for (const [title, cell] of rows()) {
    const cells = hosts.map(([, one]) => cell(one));
    if (cells.some((each) => each !== undefined)) table.push([title, ...cells.map((each) => each ?? "-")]);
  }
  return table.toString();
}

function rows(): [string, Cells][] {
  return [
    ["samples that ended as expected", ({ samples }) => samples && `${samples.asExpected} of ${samples.samples}`],
    ["  in", ({ samples }) => samples && seconds(samples.seconds)],
    ...burstRows("burst", ({ burst }) => burst),
    ...burstRows("burst with a tenth of the time", ({ slow }) => slow),
    [
      "  completions a second without contention",
      ({ slow }) => slow && plain(slow.calm.completions / slow.calm.seconds),
    ],
    ["  the part of that, from stretch to stretch", ({ slow }) => slow?.parts.join(", ")],
    ...(["host", "worker", "both", "drained"] as const).flatMap((victim) => killRows(victim)),
    ["one order alone", ({ figures }) => figures && ms(figures.aloneMs)],
    ["first step after a pause", ({ figures }) => figures?.firstStepMs.map(ms).join(", ")],
    ...burstRows("warm burst", ({ figures }) => figures?.burst),
    ["  CPU time an order", ({ figures }) => figures && counts(figures.cpuMs, " ms")],
    [
      "  first steps done before the second step of any began",
      ({ figures }) => figures?.firstStepsBeforeSecond?.toString(),
    ],
    ["  requests to storage an order", ({ figures }) => figures?.storage && lines(figures.storage.burst)],
    ["requests to storage of one alone", ({ figures }) => figures?.storage && lines(figures.storage.alone)],
    ["requests to storage a second, idle", ({ figures }) => figures?.storage && plain(figures.storage.idlePerSecond)],
  ];
}

function burstRows(
  title: string,
  burstOf: (report: HostReport) => Omit<Burst, "records"> | undefined,
): [string, Cells][] {
  const row = (name: string, cell: (burst: Omit<Burst, "records">) => string): [string, Cells] => [
    name,
    (report) => {
      const burst = burstOf(report);
      return burst && cell(burst);
    },
  ];
  return [
    row(title, ({ tally }) => `${tally.ended} of ${tally.orders} ended`),
    row("  in", (burst) => seconds(burst.seconds)),
    row("  Processed a second", ({ ordersPerSecond }) => plain(ordersPerSecond)),
    row("  retries by the supervisor", ({ tally }) => String(tally.retries)),
    row("  compensated", ({ tally }) => String(tally.compensated)),
    row("  orders by attempt", ({ tally }) => histogram(tally.attempts)),
    row("  p50, p99 of Processed", ({ latency }) => (latency ? `${ms(latency.p50Ms)}, ${ms(latency.p99Ms)}` : "-")),
    row("  the machine's CPU that others took", ({ processor }) => `${Math.round(processor.others * 100)} %`),
  ];
}

function killRows(victim: Victim): [string, Cells][] {
  const killOf = ({ kills }: HostReport) => kills?.find((kill) => kill.victim === victim);
  const row = (name: string, cell: (kill: KillResult) => string): [string, Cells] => [
    name,
    (report) => {
      const kill = killOf(report);
      return kill && cell(kill);
    },
  ];
  return [
    row(HOW_ENDED[victim], ({ tally, faults }) =>
      faults.length === 0
        ? `all ${tally.orders} Processed, one effect a step`
        : `${tally.states["Processed"] ?? 0} of ${tally.orders} Processed, ${faults.length} faults`,
    ),
    row("  in, after the kill", (kill) => `${seconds(kill.seconds)}, ${seconds(kill.secondsAfterKill)}`),
    row("  until the app ran again", ({ secondsAway }) => seconds(secondsAway)),
    row("  orders by attempt", ({ tally }) => histogram(tally.attempts)),
  ];
}

/** The activities of the warm burst, and how they stood from second to second. */
export function engineTables({ activities, moments }: Figures): string {
  const one = newTable(["activity", "runs", "waited p50, p90, most", "ran p50, p90", "taken up first, p50, last"]);
  for (const { name, waitMs, runMs, startedMs } of activities) {
    one.push([
      name,
      waitMs.count,
      [waitMs.p50, waitMs.p90, waitMs.most].map(ms).join(", "),
      [runMs.p50, runMs.p90].map(ms).join(", "),
      [startedMs.least, startedMs.p50, startedMs.most].map(ms).join(", "),
    ]);
  }
  const two = newTable(["at", "waiting", "running", "first steps done", "second steps begun", "activities done"]);
  for (const { atMs, waiting, running, firstStepsDone, secondStepsStarted, done } of moments)
    two.push([seconds(atMs / 1000), waiting, running, firstStepsDone, secondStepsStarted, done]);
  return `${one.toString()}\n${two.toString()}`;
}

/** What was not as it has to be, in words. */
export function faultsOf(report: Report): string[] {
  return Object.entries(report).flatMap(([kind, { samples, burst, slow, kills = [] }]) => [
    ...(samples?.faults ?? []).map((fault) => `${kind} host, ${fault}`),
    ...(burst ? burstFaults(burst) : []).map((fault) => `${kind} host, burst: ${fault}`),
    ...(slow?.faults ?? []).map((fault) => `${kind} host, with a tenth of the time: ${fault}`),
    ...kills.flatMap(({ victim, faults }) => faults.map((fault) => `${kind} host, ${HOW_ENDED[victim]}: ${fault}`)),
  ]);
}

/** Every service is healthy: nothing is retried, and all is Processed. */
function burstFaults({ tally }: Omit<Burst, "records">): string[] {
  const processed = tally.states["Processed"] ?? 0;
  return [
    ...(processed === tally.orders ? [] : [`${processed} of ${tally.orders} orders are Processed`]),
    ...(tally.retries === 0 ? [] : [`${tally.retries} retries, though no service failed`]),
    ...(tally.compensated === 0 ? [] : [`${tally.compensated} orders compensated, though no service failed`]),
  ];
}

/** Without colours where nobody looks at it. */
function newTable(head: string[]): Table.Table {
  return new Table({ head, style: process.stdout.isTTY ? {} : { head: [], border: [], compact: true } });
}

const seconds = (value: number) => `${value.toFixed(1)} s`;
const ms = (value: number) => `${Math.round(value)} ms`;
const plain = (value: number) => String(Math.round(value * 10) / 10);

function counts(values: Readonly<Record<string, number>>, unit: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${plain(value)}${unit}`)
    .join("\n");
}

const lines = (values: Readonly<Record<string, number>>) => counts(values, "");
