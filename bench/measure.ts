// What a stretch of work cost: CPU time and bytes by process, and the servers' own counts.
import { readdirSync, readFileSync } from "node:fs";
import type { Stack } from "@scheduler-agent-supervisor/local";

export type Counts = Readonly<Record<string, number>>;

export interface Measure {
  /** CPU time spent so far in ms, by process; `bench` is this one, which sends and receives, `floor` the SDK floor. */
  readonly cpuMs: Counts;
  /** Bytes handed to the disk so far, all processes of the stack together; undefined where the system does not say. */
  readonly bytesWritten: number | undefined;
  readonly bus: Counts;
  readonly cosmos: Counts;
  readonly host: Counts;
  readonly remotes: Counts;
}

/** The unit of /proc/PID/stat: proc(5), sysconf(_SC_CLK_TCK), 100 on Linux. */
const TICK_MS = 10;

/** @param floor the process of the SDK floor */
export async function measure(stack: Stack, floor?: { readonly pid: number }): Promise<Measure> {
  const { bus, cosmos, host, remotes } = stack.addresses;
  const [busCounts, cosmosCounts, hostCounts, ...remoteCounts] = await Promise.all([
    counts(`http://127.0.0.1:${bus?.adminPort}/$counts`),
    counts(new URL("/$counts", cosmos?.endpoint).href),
    counts(`${host?.url}/admin/counts`),
    ...Object.values(remotes).map((url) => counts(`${url}/$counts`)),
  ]);
  const processes = [...stack.processes, ...(floor ? [{ name: "floor", pid: floor.pid }] : [])];
  const trees = processes.map(({ name, pid }) => ({ name, pids: processTree(pid) }));
  const own = process.cpuUsage();
  return {
    cpuMs: {
      ...Object.fromEntries(trees.map(({ name, pids }) => [name, sum(pids.map(cpuMsOf))])),
      bench: (own.user + own.system) / 1000,
    },
    bytesWritten: bytesWritten(trees.flatMap(({ pids }) => pids)),
    bus: busCounts ?? {},
    cosmos: cosmosCounts ?? {},
    host: hostCounts ?? {},
    // The services share one database, so each gives the same commits and flushes; requests are each one's own.
    remotes: { ...remoteCounts[0], requests: sum(remoteCounts.map((each) => each["requests"] ?? 0)) },
  };
}

/** `after` less `before`, member by member. */
export function difference(before: Counts, after: Counts): Counts {
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));
}

async function counts(url: string): Promise<Counts> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return (await response.json()) as Counts;
}

/** A process and its descendants. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync("/proc")) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined;
    if (stat) children.set(stat.parent, [...(children.get(stat.parent) ?? []), Number(entry)]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

function statOf(pid: number): { parent: number; cpuMs: number } | undefined {
  try {
    // proc(5): the fields after the command, which is in parentheses and may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const [own = 0, ofTheSystem = 0] = fields.slice(11, 13).map(Number);
    return { parent: Number(fields[1]), cpuMs: (own + ofTheSystem) * TICK_MS };
  } catch {
    return undefined;
  }
}

/** CPU time that a process has used so far; 0 for one that has ended. */
export const cpuMsOf = (pid: number): number => statOf(pid)?.cpuMs ?? 0;

function bytesWritten(pids: readonly number[]): number | undefined {
  try {
    return sum(pids.map((pid) => Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1])));
  } catch {
    return undefined;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
