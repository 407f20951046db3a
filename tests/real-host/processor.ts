// What a stretch of work took of the processor: by process, and by others on the same machine, without which no time says much.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { cpuMsOf } from "../../bench/measure.ts";
import type { Setup } from "./setup.ts";

export interface ProcessorUse {
  /** CPU time in ms by what the process does; `script` is this one. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** The part of the machine that was somebody else's, from 0 to 1. */
  readonly others: number;
}

const TICK_MS = 10;

/** Begins to measure; what it gives back ends it. Processes that came or went meanwhile are not counted. */
export function measureProcessor({ pids }: Setup): () => ProcessorUse {
  const begun = performance.now();
  const busy = busyMs();
  const own = process.cpuUsage();
  const before = pids();
  const used = Object.entries(before).map(([name, pid]) => ({ name, pid, ms: pid === undefined ? 0 : cpuMsOf(pid) }));
  return () => {
    const now = Object.values(pids());
    const script = process.cpuUsage(own);
    const lived = used.filter(({ pid }) => pid !== undefined && now.includes(pid));
    const cpuMs = Object.fromEntries(lived.map(({ name, pid = 0, ms }) => [name, cpuMsOf(pid) - ms]));
    const all = { ...cpuMs, script: (script.user + script.system) / 1000 };
    const ours = Object.values(all).reduce((sum, ms) => sum + ms, 0);
    const capacity = (performance.now() - begun) * availableParallelism();
    return { cpuMs: all, others: Math.max(0, (busyMs() - busy - ours) / capacity) };
  };
}

/** proc_stat(5): the first line counts all processors' time; idle and iowait are the fourth and fifth. Steal is the eighth. */
function busyMs(): number {
  const [, ...ticks] = (readFileSync("/proc/stat", "utf8").split("\n", 1)[0] ?? "").split(/\s+/);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks.map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_MS;
}
