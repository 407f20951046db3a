// The commands as a newcomer types them, in processes of their own.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "@scheduler-agent-supervisor/local";
import { afterAll } from "vitest";
import { ROOT } from "../../cli/settings.ts";

export interface Command {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

/** A folder of the file's own, in which its commands run. At the end of the file both are gone. */
export function commandsIn(prefix: string): {
  readonly folder: string;
  readonly run: (name: string, ...args: string[]) => Command;
} {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  const running = new Set<ChildProcess>();
  afterAll(() => {
    for (const child of running) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (name: string, ...args: string[]): Command => {
    const child = spawn(process.execPath, ["-C", "sources", join(ROOT, "cli", `${name}.ts`), ...args], { cwd: folder });
    running.add(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        output += String(chunk);
      });
    }
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    void ended.then(() => running.delete(child));
    return { child, output: () => output, ended };
  };
  return { folder, run };
}

export async function portOptions(others: Readonly<Record<string, number>> = {}): Promise<string[]> {
  const [host, bus, admin, cosmos] = await freePorts(4);
  const named = { host, bus, "bus-admin": admin, cosmos, azurite: 0, remotes: 0, traces: 0, ...others };
  return Object.entries(named).map(([name, port]) => `--${name}-port=${port}`);
}

/** Processes whose command line names the data folder. */
export function livePids(data: string): number[] {
  return readProcesses()
    .filter(({ command }) => command.includes(data))
    .map(({ pid }) => pid);
}

function readProcesses(): { pid: number; command: string }[] {
  return readdirSync("/proc").flatMap((entry) => {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) return [];
    try {
      return [{ pid, command: readFileSync(`/proc/${pid}/cmdline`, "utf8") }];
    } catch {
      return [];
    }
  });
}
